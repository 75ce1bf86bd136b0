"""The same random model under the same random commands, in memory and on the database: both agree, and each holds.

After every command the database host folds the stored history, compares it with the rows of every table, and checks
all invariants.
"""

from __future__ import annotations

from random import Random

import pytest

from bpm.core.errors import Refused
from bpm.core.ids import Id
from tests.support.core_host import CoreHost
from tests.support.database_host import DatabaseHost
from tests.support.hosts import Host
from tests.support.random_moves import look_of, random_move
from tests.support.random_trees import random_tree

pytestmark = pytest.mark.django_db(transaction=True)

MOVES = 12


def _move(host: Host, instance: Id, random: Random) -> str:
    definition, graph = host.definition("p", 1)
    for command in random_move(random, graph, definition, host.state(instance)):
        try:
            host.execute(instance, command)
        except Refused as refusal:
            return refusal.code
    return ""


@pytest.mark.parametrize("seed", range(10))
def test_both_hosts_come_to_the_same(seed: int) -> None:
    file = random_tree(Random(seed))
    hosts: tuple[Host, ...] = (CoreHost(), DatabaseHost())
    started = {"x": seed % 4, "y": seed % 3, "list": [1, 2]}
    for host in hosts:
        host.deploy(file)
    instances = [host.start("p", started) for host in hosts]
    for number in range(MOVES):
        said = [
            _move(host, instance, Random(seed * 1_000 + number))
            for host, instance in zip(hosts, instances, strict=True)
        ]
        assert said[0] == said[1], number
        looks = [look_of(host.state(one)) for host, one in zip(hosts, instances, strict=True)]
        assert looks[0] == looks[1], number
