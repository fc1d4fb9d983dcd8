# Stands in for redis:7-bookworm: Debian's Redis 7 with the user and the data folder of the real image.
FROM strata-standin/debian:bookworm
RUN apt-get update -qq \
 && apt-get install -y -qq --no-install-recommends redis-server redis-tools >/dev/null \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data && chown redis:redis /data
USER redis
VOLUME /data
WORKDIR /data
EXPOSE 6379
CMD ["redis-server", "--bind", "0.0.0.0", "--protected-mode", "no"]
