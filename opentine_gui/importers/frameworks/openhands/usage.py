"""What OpenHands was billed: tokens, latencies and costs, from a conversation's state, by response id."""

from __future__ import annotations

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.sources.fields import amount, figure, object_of, objects_in, text_of, usage_of


class Metrics:
    """Looks up what a response used. Costs have no id: if there is one for each response, their order tells."""

    def __init__(self, state: JsonObject) -> None:
        self._usage: dict[str, JsonObject] = {}
        self._latency: dict[str, float] = {}
        self._cost: dict[str, float] = {}
        self._models: dict[str, str] = {}
        self.total_cost: float | None = None
        for metrics in object_of(object_of(state.get("stats")).get("usage_to_metrics")).values():
            self._read(object_of(metrics))

    def _read(self, metrics: JsonObject) -> None:
        usages = objects_in(metrics.get("token_usages"))
        for usage in usages:
            self._usage[text_of(usage.get("response_id"))] = usage
        for latency in objects_in(metrics.get("response_latencies")):
            self._latency[text_of(latency.get("response_id"))] = amount(latency.get("latency")) or 0.0
        costs = [cost for cost in objects_in(metrics.get("costs")) if figure(cost.get("cost")) is not None]
        if len(costs) == len(usages):
            for usage, cost in zip(usages, costs, strict=True):
                self._cost[text_of(usage.get("response_id"))] = amount(cost.get("cost")) or 0.0
        stated = figure(metrics.get("accumulated_cost"))
        if stated:
            self.total_cost = (self.total_cost or 0.0) + float(stated)

    def usage(self, response: str) -> dict[str, int | float]:
        """Tokens of a response; {} when none were recorded."""
        found = self._usage.get(response, {})
        return usage_of(
            input=found.get("prompt_tokens"),
            output=found.get("completion_tokens"),
            cache_read=found.get("cache_read_tokens"),
            cache_write=found.get("cache_write_tokens"),
            reasoning=found.get("reasoning_tokens"),
            input_has_cache=True,
            output_has_reasoning=True,
        )

    def latency(self, response: str) -> float:
        """Seconds the model took, 0.0 when not recorded."""
        return self._latency.get(response, 0.0)

    def cost(self, response: str) -> float | None:
        """Dollars of a response, None when not recorded."""
        return self._cost.get(response)

    def model(self, response: str) -> str:
        """The model that answered, "" when not recorded."""
        return text_of(self._usage.get(response, {}).get("model")) or self._models.get(response, "")

    def knows(self, response: str) -> bool:
        """Whether a response was billed in this conversation; True for "", which is no response and needs no bill."""
        return not response or response in self._usage

    def learn_models(self, state: JsonObject) -> None:
        """Learn from another conversation's state which models answered."""
        for metrics in object_of(object_of(state.get("stats")).get("usage_to_metrics")).values():
            for usage in objects_in(object_of(metrics).get("token_usages")):
                self._models.setdefault(text_of(usage.get("response_id")), text_of(usage.get("model")))
