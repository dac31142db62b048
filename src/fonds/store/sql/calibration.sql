-- name: questions
-- The stored set, in the order of their names.
SELECT question_key, name, question, kind, source, passed
  FROM private.calibration
 WHERE archive_id = (SELECT api.scope())
 ORDER BY name COLLATE "C";

-- name: drop_questions
-- Whatever is not of the given set, in these words; what the last calibration said of it and its vectors go along.
DELETE FROM private.calibration c
 WHERE c.archive_id = (SELECT api.scope())
   AND NOT EXISTS (SELECT FROM unnest(%(keys)s::text[], %(questions)s::text[]) AS s (question_key, question)
                    WHERE s.question_key = c.question_key AND s.question = c.question);

-- name: keep_questions
MERGE INTO private.calibration AS t
USING unnest(%(keys)s::text[], %(names)s::text[], %(questions)s::text[], %(kinds)s::text[])
      AS s (question_key, name, question, kind)
   ON t.archive_id = (SELECT api.scope()) AND t.question_key = s.question_key
 WHEN MATCHED AND (t.name, t.kind, t.source) IS DISTINCT FROM (s.name, s.kind, %(source)s) THEN
      UPDATE SET name = s.name, kind = s.kind, source = %(source)s
 WHEN NOT MATCHED THEN
      INSERT (archive_id, question_key, name, question, kind, source)
      VALUES ((SELECT api.scope()), s.question_key, s.name, s.question, s.kind, %(source)s);

-- name: vectors
SELECT question_key, embedding
  FROM private.calibration_vector
 WHERE archive_id = (SELECT api.scope()) AND space_id = %(space_id)s;

-- name: keep_vector
INSERT INTO private.calibration_vector (archive_id, question_key, space_id, dimensions, embedding)
VALUES ((SELECT api.scope()), %(question_key)s, %(space_id)s, %(dimensions)s, %(vector)s)
ON CONFLICT (archive_id, question_key, space_id) DO UPDATE SET embedding = EXCLUDED.embedding;

-- name: drop_vectors
-- Of other spaces: a space that comes back is embedded again.
DELETE FROM private.calibration_vector WHERE archive_id = (SELECT api.scope()) AND space_id <> %(space_id)s;

-- name: build_row
-- A build as the opening of a request shows it, by its id.
SELECT b.build_id, b.provider, b.model, b.dimensions, b.query_prefix, b.passage_prefix, b.centring, b.score_floor,
       b.coverage_floor, b.built_at, b.entity_count, b.fragment_count, b.public_entity_count, b.phrase_word_lengths,
       b.phrase_char_lengths, b.narrowing, b.text_count,
       c.source, c.rule, c.alpha, c.counted, c.near_misses, c.threshold, c.hint_threshold,
       c.public_hint_threshold, c.signal, c.means, c.deviations, c.weights, c.bias, c.fitted, c.plugins, c.space_id, c.questions, c.made_at, c.price
  FROM served.build b
  LEFT JOIN served.calibration c ON c.archive_id = b.archive_id AND c.build_id = b.build_id
 WHERE b.archive_id = (SELECT api.scope()) AND b.build_id = %(build_id)s;

-- name: keep_calibration
-- One a build; another takes its place.
INSERT INTO served.calibration (archive_id, build_id, source, rule, alpha, counted, near_misses, threshold, hint_threshold,
                                public_hint_threshold, signal, means, deviations, weights, bias, fitted, plugins, space_id, questions, price)
VALUES ((SELECT api.scope()), %(build_id)s, %(source)s, %(rule)s, %(alpha)s, %(counted)s, %(near_misses)s, %(threshold)s,
        %(hint_threshold)s, %(public_hint_threshold)s, %(signal)s, %(means)s, %(deviations)s, %(weights)s, %(bias)s, %(fitted)s, %(plugins)s,
        %(space_id)s, %(questions)s, %(price)s)
ON CONFLICT (archive_id, build_id) DO UPDATE
   SET source = EXCLUDED.source, rule = EXCLUDED.rule, alpha = EXCLUDED.alpha, counted = EXCLUDED.counted,
       near_misses = EXCLUDED.near_misses, threshold = EXCLUDED.threshold, hint_threshold = EXCLUDED.hint_threshold,
       public_hint_threshold = EXCLUDED.public_hint_threshold, signal = EXCLUDED.signal, means = EXCLUDED.means, deviations = EXCLUDED.deviations, weights = EXCLUDED.weights,
       bias = EXCLUDED.bias, fitted = EXCLUDED.fitted, plugins = EXCLUDED.plugins, space_id = EXCLUDED.space_id,
       questions = EXCLUDED.questions, price = EXCLUDED.price, made_at = now();

-- name: keep_price
UPDATE served.calibration SET price = %(price)s
 WHERE archive_id = (SELECT api.scope()) AND build_id = %(build_id)s;

-- name: note_passed
UPDATE private.calibration SET passed = question_key = ANY (%(passed)s::text[])
 WHERE archive_id = (SELECT api.scope());
