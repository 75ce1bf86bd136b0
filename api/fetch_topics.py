"""Topics in the body of a fetch: names alone, or objects that say more."""

from __future__ import annotations

from typing import Any, Final

from api.kinds import Identifier, Text, Variables, Whole
from api.request_errors import invalid
from api.shapes import Field, ListOf, Shape
from bpm.engine import MAX_VALUES, Topic, errors

MAX_LOCK_MS: Final = 86_400_000
MAX_TOPICS: Final = 100
_IDS: Final = ListOf(Identifier(), 1, MAX_VALUES)
_NAMES: Final = ListOf(Text(), 1, MAX_VALUES)
TOPIC: Final = Shape(
    "FetchTopic",
    task_type=Field(Text(), required=True),
    lock_duration_ms=Field(Whole(1, MAX_LOCK_MS), about="as the fetch says without it"),
    process_def_ids=Field(_NAMES, about="only tasks of these processes"),
    definition_ids=Field(_IDS, about="only tasks of these versions"),
    version_tags=Field(_NAMES, about="only tasks of versions with one of these tags"),
    instance_ids=Field(_IDS, about="only tasks of these instances"),
    business_keys=Field(ListOf(Text(0, 255), 1, MAX_VALUES)),
    process_variables=Field(Variables(), about="only of instances whose process variables have these values"),
    variables=Field(ListOf(Text(), 0, 1_000), about="names of those that come with a task; all without it"),
)
TOPICS: Final[dict[str, Field]] = {
    "task_types": Field(ListOf(Text(), 1, MAX_TOPICS), about="topics about which nothing more is to be said"),
    "topics": Field(ListOf(TOPIC, 1, MAX_TOPICS), about="topics with lease times, limits or variables"),
}
"""Members of the body; one of them must be there."""


def read_topics(fields: dict[str, Any]) -> list[str | Topic]:
    """Return the topics of a fetch.

    Raises:
        RequestInvalid: there are none, or more than 100 together.
        VariableInvalid: a process variable that is asked for cannot be one.
    """
    named = [_topic(topic, index) for index, topic in enumerate(fields["topics"] or ())]
    found: list[str | Topic] = [*(fields["task_types"] or ()), *named]
    if not found:
        raise invalid("/task_types", "required", "Name a topic, in task_types or in topics.")
    if len(found) > MAX_TOPICS:
        raise invalid("/topics", "length", f"Expected at most {MAX_TOPICS} topics.")
    return found


def topic_names(topics: list[str | Topic]) -> list[str]:
    """Return the names alone."""
    return [topic if isinstance(topic, str) else topic.name for topic in topics]


def _topic(fields: dict[str, Any], index: int) -> Topic:
    topic = Topic(
        fields["task_type"],
        lock_ms=fields["lock_duration_ms"],
        process_def_ids=fields["process_def_ids"] or (),
        definition_ids=[str(one) for one in fields["definition_ids"] or ()],
        instance_ids=[str(one) for one in fields["instance_ids"] or ()],
        version_tags=fields["version_tags"] or (),
        business_keys=fields["business_keys"] or (),
        process_variables=fields["process_variables"] or {},
        variables=fields["variables"],
    )
    # The engine would say so too, but does not know where in the body the topic stands.
    with errors.variables_at("topics", index, "process_variables"):
        topic.asked()
    return topic
