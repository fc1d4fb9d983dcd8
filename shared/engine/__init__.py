"""The engine that all titles share: folding, deciding, appending, answering. Knows no rulebook."""
