-- name: index_of_build
SELECT i.build_id, i.links, i.width, i.breadth, i.least, i.vectors, i.questions, i.by_index, i.recall, i.checked_at,
       i.admitted, api.index_bytes(i.build_id) AS size
  FROM served.near_index i
 WHERE i.archive_id = (SELECT api.scope()) AND i.build_id = %(build_id)s;

-- name: live_build_id
SELECT build_id FROM served.live WHERE archive_id = (SELECT api.scope());

-- name: indexed_builds
SELECT build_id FROM served.near_index WHERE archive_id = (SELECT api.scope()) ORDER BY build_id;

-- name: public_vectors
SELECT count(*) FROM served.embedding
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s AND raw = 'public';

-- name: make_index
SELECT api.make_index(%(build_id)s, %(links)s, %(width)s, %(breadth)s, %(least)s);

-- name: drop_index
SELECT api.drop_index(%(build_id)s);

-- name: note_wish
-- The build after this one is to have an index of this shape, whether or not this one has.
INSERT INTO served.near_index (archive_id, build_id, links, width, breadth, least, vectors, questions, by_index, recall, checked_at)
VALUES ((SELECT api.scope()), %(build_id)s, %(links)s, %(width)s, %(breadth)s, %(least)s, %(vectors)s, %(questions)s, %(by_index)s,
        %(recall)s, now());

-- name: read_vectors
-- Every public vector of a build, for the background of its questions; read in portions.
SELECT embedding FROM served.embedding
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s AND raw = 'public';

-- name: keep_centre
UPDATE served.near_index SET centre = %(centre)s WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s;

-- name: drop_spread
DELETE FROM served.index_spread WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s;

-- name: keep_spread
INSERT INTO served.index_spread (archive_id, build_id, place, spread)
VALUES ((SELECT api.scope()), %(build_id)s, %(place)s, %(spread)s);

-- name: note_check
-- Something withdrawn since the background was measured took it along: what was found holds no longer, and admits nothing.
UPDATE served.near_index
   SET questions = %(questions)s, by_index = %(by_index)s, recall = %(recall)s, admitted = %(admitted)s AND centre IS NOT NULL, checked_at = now()
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s;

-- name: as_if_admitted
-- Inside a transaction that is rolled back: what it would answer. Nothing, once something of it was withdrawn.
UPDATE served.near_index SET admitted = true, recall = 1, questions = 1, by_index = 1, checked_at = now()
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s AND centre IS NOT NULL;

-- name: phrases_to_ask
-- Titles and themes of public entities, spread over all of them and the same each time.
SELECT said FROM (
       SELECT DISTINCT s.said
         FROM served.entity e
        CROSS JOIN LATERAL (SELECT e.title UNION ALL SELECT unnest(e.themes)) AS s (said)
        WHERE e.archive_id = (SELECT api.scope()) AND e.build_id = %(build_id)s AND e.raw = 'public') AS t
 ORDER BY md5(said), said LIMIT %(most)s;
