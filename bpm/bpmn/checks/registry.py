"""All rules, one line each; a rule is one function from a layout to problems and warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bpm.bpmn.checks import (
    activities,
    compensation,
    content,
    event_definitions,
    event_triggers,
    exclusive_flows,
    flows,
    gateways,
    identity,
    links,
    listeners,
    message_flows,
    same_codes,
    soundness,
    subprocesses,
    vendor,
    vendor_values,
    waiting,
    written,
)
from bpm.bpmn.layout import Layout
from bpm.bpmn.process_reading import ProcessReading

Check = Callable[[Layout, ProcessReading], None]

CHECKS: Final[tuple[Check, ...]] = (
    identity.check_process_id,
    identity.check_repeated_ids,
    flows.check_starts_have_no_incoming,
    flows.check_ends_have_no_outgoing,
    links.check_link_flows,
    flows.check_intermediate_events_are_reached,
    flows.check_gateways_are_connected,
    event_triggers.check_triggers,
    event_triggers.check_cancel,
    event_triggers.check_attachment,
    event_definitions.check_definition_references,
    event_definitions.check_messages,
    event_definitions.check_conditions,
    links.check_link_pairs,
    links.check_link_catches,
    links.check_link_references,
    gateways.check_event_gateway_targets,
    gateways.check_instantiating_gateway,
    gateways.check_event_gateway_job,
    waiting.check_start_names,
    waiting.check_instantiating_receive_tasks,
    waiting.check_same_starts,
    waiting.check_same_waits,
    same_codes.check_same_codes,
    activities.check_quantities,
    activities.check_loops,
    compensation.check_handlers,
    compensation.check_handlers_stand_apart,
    compensation.check_boundary_is_alone,
    compensation.check_one_handler,
    compensation.check_references,
    compensation.check_one_cancel,
    activities.check_script_formats,
    activities.check_operations,
    subprocesses.check_none_starts,
    subprocesses.check_event_subprocesses,
    subprocesses.check_nothing_around_event_subprocesses,
    subprocesses.check_starts,
    subprocesses.check_ad_hoc,
    content.check_content,
    content.check_loop_content,
    vendor.check_vendor_elements,
    vendor.check_vendor_attributes,
    listeners.check_listeners,
    vendor_values.check_priorities,
    vendor_values.check_external_topics,
    vendor_values.check_saga_modes,
    vendor_values.check_lease_limits,
    vendor_values.check_time_to_live,
    vendor_values.check_mappings,
    soundness.check_something_starts,
    soundness.check_unreachable,
    soundness.check_joins_fed_by_themselves,
    soundness.check_mutual_waiting,
    exclusive_flows.check_shadowed_flows,
    message_flows.check_message_flows,
)


OF_DEPLOYING: Final[tuple[Check, ...]] = (written.check_flags, written.check_process_name)
"""Rules that are not asked again of what is stored."""


def run_checks(layout: Layout, reading: ProcessReading, *, stored: bool = False) -> None:
    """Report everything that is wrong with the structure of a process."""
    for check in CHECKS if stored else (*CHECKS, *OF_DEPLOYING):
        check(layout, reading)
