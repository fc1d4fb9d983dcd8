-- Resets the idle time of a delivery, if it is still this consumer's.
-- KEYS: feed. ARGV: group, consumer, id. Answers 1 when it was, else 0.

if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then
  return 0
end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')
return 1
