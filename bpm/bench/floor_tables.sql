-- The floor's tables: one instance row, its token, an append-only history. Statements are separated by empty lines.
DROP SCHEMA IF EXISTS bench_floor CASCADE;

CREATE SCHEMA bench_floor;

CREATE TABLE bench_floor.instance (
    id bigint PRIMARY KEY,
    definition bigint NOT NULL,
    status smallint NOT NULL,
    revision int NOT NULL,
    variables jsonb NOT NULL,
    updated_at timestamptz NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE bench_floor.token (
    id bigserial PRIMARY KEY,
    instance bigint NOT NULL REFERENCES bench_floor.instance DEFERRABLE INITIALLY DEFERRED,
    node text NOT NULL,
    status smallint NOT NULL,
    revision int NOT NULL,
    data jsonb
) WITH (fillfactor = 80);

CREATE INDEX ON bench_floor.token (instance);

CREATE TABLE bench_floor.event (
    id bigserial PRIMARY KEY,
    instance bigint NOT NULL,
    sequence int NOT NULL,
    occurred_at timestamptz NOT NULL,
    kind smallint NOT NULL,
    node text NOT NULL,
    payload jsonb NOT NULL
);

CREATE UNIQUE INDEX ON bench_floor.event (instance, sequence, id);

INSERT INTO bench_floor.instance
SELECT n, 1, 1, 1, '{"amount": 12, "customer": "c-17"}', now() FROM generate_series(1, 100000) n;

INSERT INTO bench_floor.token (id, instance, node, status, revision)
SELECT n, n, 'Task_1', 1, 1 FROM generate_series(1, 100000) n;

SELECT setval('bench_floor.token_id_seq', 1000000);

VACUUM ANALYZE bench_floor.instance;

VACUUM ANALYZE bench_floor.token;

VACUUM ANALYZE bench_floor.event;
