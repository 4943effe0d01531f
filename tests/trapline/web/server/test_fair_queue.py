"""Addresses get places in turn, whatever one of them asks for."""

import asyncio
from collections import Counter

from trapline.web.server.fair_queue import FairQueue


def test_who_asks_for_one_place_waits_for_one_of_each_other_address() -> None:
    async def run() -> list[str]:
        queue, order = FairQueue(2), []

        async def work(address: str) -> None:
            free = await queue.take(address)
            order.append(address)
            await asyncio.sleep(0)
            free()
            free()  # a second time changes nothing

        greedy = [asyncio.create_task(work(address)) for address in "aabb" * 50]
        await asyncio.sleep(0)
        await asyncio.gather(*greedy, asyncio.create_task(work("c")))
        return order

    order = asyncio.run(run())
    assert Counter(order) == {"a": 100, "b": 100, "c": 1}
    assert order.index("c") <= 6


def test_a_place_is_not_lost_with_who_waited_for_it() -> None:
    async def run() -> None:
        queue = FairQueue(1)
        free = await queue.take("a")
        waiting = [asyncio.create_task(queue.take(address)) for address in "abc"]
        await asyncio.sleep(0)
        waiting[0].cancel()
        free()  # to the second one, as the first has gone
        waiting[1].cancel()  # who has got it and does not know yet
        (await waiting[2])()
        (await asyncio.wait_for(queue.take("d"), 5))()

    asyncio.run(run())
