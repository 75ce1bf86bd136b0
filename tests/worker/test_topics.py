"""What a worker asks of its topics."""

from __future__ import annotations

import pytest

from bpm.worker import EngineClient, FetchTopic, TaskResult, Worker, WorkerConfig
from tests.worker.handlers import Calling, Echo
from tests.worker.scripted_engine import ScriptedEngine, task


def test_demands_on_a_topic_are_sent_beside_names(engine: ScriptedEngine, client: EngineClient) -> None:
    done = Calling(lambda task, context: TaskResult.complete(), "ship")
    bill = Calling(lambda task, context: TaskResult.complete(), "bill")
    topic = FetchTopic(
        "ship", lock_duration_ms=500, version_tags=("v1",), process_variables={"n": 2**70}, variables=()
    )
    engine.offer(task("a", "ship"))
    worker = Worker(client, [done, bill], WorkerConfig(worker_id="w", wait_ms=0), topics=[topic])
    worker.start()
    engine.wait_for("complete")
    worker.drain()
    body = engine.calls("fetch-and-lock")[0].body
    assert body["task_types"] == ["bill"]
    assert body["topics"] == [
        {
            "task_type": "ship",
            "lock_duration_ms": 500,
            "version_tags": ["v1"],
            "process_variables": {"n": 2**70},
            "variables": [],
        }
    ]


def test_all_limits_are_members_of_the_body() -> None:
    topic = FetchTopic(
        "t",
        process_def_ids=["p"],
        definition_ids=["d"],
        instance_ids=["i"],
        business_keys=["b"],
        variables=["v"],
    )
    assert topic.body() == {
        "task_type": "t",
        "process_def_ids": ["p"],
        "definition_ids": ["d"],
        "instance_ids": ["i"],
        "business_keys": ["b"],
        "variables": ["v"],
    }


@pytest.mark.parametrize(
    ("topics", "message"),
    [
        ([FetchTopic("other")], "no handler serves other"),
        ([FetchTopic("work", 5), FetchTopic("work", 6)], "two demands on one topic"),
    ],
)
def test_demands_that_no_handler_meets_are_refused(
    client: EngineClient, topics: list[FetchTopic], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Worker(client, [Echo()], topics=topics)
