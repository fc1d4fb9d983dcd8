-- Appends one commit, its feed entry and its deadline slot, or nothing at all.
-- KEYS: stream, feed, deadlines. ARGV: the id before, the id to write, feed length, member, title, and the
-- values of the entry in the order of FIELDS in log.py.
-- Answers nil when it is written, else the version of the stream's head.

local before, id, feed_length, member, title = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local status, waiting, deadline = ARGV[13], ARGV[14], ARGV[15]

local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local head = last and last[1] or '0-0'
if head ~= before then
  return tonumber(string.match(head, '^%d+'))
end

-- Both reads also refuse keys of a wrong type while nothing is written yet.
local told = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local slot = redis.call('ZSCORE', KEYS[3], member)

redis.call('XADD', KEYS[1], id,
  'action', ARGV[6], 'seat', ARGV[7], 'at', ARGV[8], 'caller', ARGV[9], 'request', ARGV[10], 'body', ARGV[11],
  'schema', ARGV[12], 'status', status, 'waiting', waiting, 'deadline', deadline, 'before', ARGV[16],
  'data', ARGV[17])

-- Each feed entry names the one before it, by which a follower knows that it missed none.
redis.call('XADD', KEYS[2], 'MAXLEN', '~', feed_length, '*',
  'k', member, 't', title, 'v', string.match(id, '^%d+'), 's', status, 'w', waiting,
  'p', told and told[1] or '0-0')

if deadline ~= '' then
  if slot ~= deadline then
    redis.call('ZADD', KEYS[3], deadline, member)
  end
elseif slot then
  redis.call('ZREM', KEYS[3], member)
end
return nil
