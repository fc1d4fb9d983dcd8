# Stands in for python:3.11-slim-bookworm: Debian's Python under the names of the real image. Debian keeps pip as a wheel.
FROM strata-standin/debian:bookworm
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null \
 && rm -rf /var/lib/apt/lists/* /usr/lib/python3*/EXTERNALLY-MANAGED \
 && ln -s /usr/bin/python3 /usr/local/bin/python \
 && PYTHONPATH=$(echo /usr/share/python-wheels/pip-*.whl) \
    python3 -m pip install --quiet --no-cache-dir --root-user-action=ignore --ignore-installed pip
CMD ["python3"]
