-- name: take
-- One request of a caller; which limit refuses it, and for how many seconds.
SELECT limit_hit, retry_after FROM api.take(%(kind)s::text, %(identity)s::text, %(network)s::text);

-- name: charge_private
-- A question whose reply holds private hits, by its digest.
SELECT limit_hit, retry_after
  FROM api.charge_private(%(kind)s::text, %(identity)s::text, %(network)s::text, %(question)s::bytea);
