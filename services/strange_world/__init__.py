"""Strange World Above the Clouds: its pure rules (`rules`) and its packs (`content`)."""
