-- One command of an engine: three history rows and a token come, a token and the instance change.
\set id random(1, 100000)
WITH events AS (
    INSERT INTO bench_floor.event (instance, sequence, occurred_at, kind, node, payload)
    SELECT :id, number, now(), number, name, data
    FROM unnest(
        ARRAY[1, 2, 3],
        ARRAY['Task_1', 'Flow_1', 'Task_2'],
        ARRAY['{"k": 1}', '{"k": 2}', '{"k": 3}']::jsonb[]
    ) AS e (number, name, data)
),
moved AS (
    UPDATE bench_floor.token SET status = 2, revision = revision + 1 WHERE id = :id
),
created AS (
    INSERT INTO bench_floor.token (instance, node, status, revision, data) VALUES (:id, 'Task_2', 1, 1, NULL)
)
UPDATE bench_floor.instance SET revision = revision + 1, updated_at = now() WHERE id = :id;
