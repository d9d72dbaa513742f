"""The steps of one conversation's traces: what was asked and said, and the work of tools and agents.

A tool's parent is the answer that asked for it; an agent inside an agent is a sub-agent, whose last steps are parents
of its tool's step, or of whatever comes next.
"""

from __future__ import annotations

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.spans.dialects import (
    AGENT,
    ANCHOR,
    BRANCH,
    CHAT,
    MARK,
    MODEL,
    ONCE_NO_FAILURE,
    PROVIDER,
    TOOL,
    Message,
    Requests,
    answer_of,
    cost_of,
    error_of,
    first,
    request_of,
    result_of,
    system_of,
    tokens_of,
    tool_of,
    tools_of,
)
from opentine_gui.importers.frameworks.spans.flow import CLOSE, Calls, Done, Flow
from opentine_gui.importers.frameworks.spans.forest import Forest
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call
from opentine_gui.importers.sources.fields import between, object_of, text_of
from opentine_gui.importers.sources.outcomes import NO_RESULT


class Conversation:
    """Makes the steps of one conversation's traces."""

    def __init__(self, forest: Forest, draft: RunDraft, pace: Pace) -> None:
        self.forest = forest
        self.draft = draft
        self.pace = pace
        self.ends: dict[tuple[str, str], list[str]] = {}
        """The last steps of each span, for links to it."""
        self.requests = Requests()
        self.count = 0
        self.plain = 0
        self.has_policy = False
        self.calls: dict[str, Call] = {}
        """Calls as answers recorded them, by their ids: some tools' spans leave the arguments out."""
        self.anchors: dict[str, list[str]] = {}
        """The last steps at each point that a branch can begin at."""

    def grow(self) -> list[str]:
        """Add all steps; the keys of the last ones."""
        tips: list[str] = []
        for roots in self.forest.traces():
            linked = [key for root in roots for key in self._links(root)]
            flow = Flow(base=linked or tips)
            self._run(flow, roots)
            tips = flow.tips() or tips
            for root in roots:
                self.ends.setdefault((root.trace, root.id), tips)
        report = self.draft.report
        if self.plain:
            noun = "span" if self.plain == 1 else "spans"
            report.remark(f"{self.plain} {noun} of transport and of chains made no step.")
            report.folded += self.plain
        if self.forest.lost:
            some = "1 span names" if self.forest.lost == 1 else f"{self.forest.lost} spans name"
            report.remark(f"{some} a parent that is not in this file: such spans stand under the trace.")
        if self.forest.cycles:
            report.remark("Spans that name each other as parents: the cycle was broken.")
        if self.forest.again:
            report.folded += self.forest.again
        return tips

    def _links(self, span: Span) -> list[str]:
        return [key for link in span.links for key in self.ends.get(link, ())]

    def _run(self, flow: Flow, spans: list[Span]) -> None:
        for span in self._work(spans, flow):
            self.count += 1
            if self.count % 200 == 0:
                self.pace.at(self.count / len(self.forest.by_id))
            kind = self.forest.kind[span]
            if kind == CHAT:
                self._chat(flow, span)
            elif kind == TOOL:
                self._tool(flow, span)
            elif kind == AGENT:
                self._agent(flow, span)
            elif kind == MARK:
                self._mark(flow, span)
            elif kind == ANCHOR:
                self.anchors[text_of(span.attributes.get("anchor"))] = flow.tips() or list(flow.base)
            else:
                self._branch(flow, span)

    def _work(self, spans: list[Span], flow: Flow) -> list[Span]:
        """The chats, tools and sub-agents in spans, also within plain spans, in the order in which they began."""
        found: list[Span] = []
        waiting = list(reversed(spans))
        while waiting:
            span = waiting.pop()
            kind = self.forest.kind[span]
            if span is flow.within or (kind == AGENT and flow.outer and not self._is_sub_agent(span)):
                if not self.forest.works(span):
                    found.append(span)
                waiting += reversed(self.forest.children.get(span, []))
            elif kind in (TOOL, AGENT, MARK, ANCHOR, BRANCH):
                found.append(span)
            elif kind == CHAT:
                found.append(span)
                waiting += reversed(self.forest.children.get(span, []))
            else:
                self.plain += 1
                waiting += reversed(self.forest.children.get(span, []))
        return sorted(found, key=lambda span: (span.began, span.ended))

    def _is_sub_agent(self, span: Span) -> bool:
        """Whether an agent is inside another one that asks a model itself; one that does not only holds agents."""
        return any(one in self.forest.asking for one in self.forest.above(span))

    # -- order ----------------------------------------------------------------------------------------------------

    def _parents(self, flow: Flow, before: list[Done], span: Span) -> list[str]:
        for done in before:
            done.covered = span.ended if done.covered is None else min(done.covered, span.ended)
        keys = [key for done in before for key in done.keys] or list(flow.base)
        return [*self._links(span), *keys] if span.links else keys

    def _keep(self, flow: Flow, done: Done, span: Span) -> None:
        flow.add(done)
        self.ends[span.trace, span.id] = done.keys

    # -- answers --------------------------------------------------------------------------------------------------

    def _chat(self, flow: Flow, span: Span) -> None:
        request = request_of(span, self.requests) or self._outer_request(flow, span)
        content = answer_of(span)
        again = self._attempt(flow, span, request)
        if again is not None:
            step = again
        else:
            parents = self._parents(flow, flow.before(span), span)
            parents, prompt = self._said_before(flow, span, request, parents)
            step = self.draft.add(f"{span.trace} {span.id}", StepKind.MODEL, parents, timestamp=span.start)
            if prompt:
                step.inputs = {"prompt": prompt}
        self._fill(step, span)
        step.outputs = content.said()
        if content.texts or content.thoughts or content.calls or content.images:
            step.kind = StepKind.MODEL
        elif span.failed or step.error:
            step.kind, step.outputs = StepKind.ERROR, {}
        flow.failed = (step, _signature(request), span) if span.failed else None
        inside = [child.began for child in self.forest.children.get(span, ()) if self.forest.kind[child] == TOOL]
        done = Done([step.key], span.began, min([span.ended, *inside]), rank=(span.began, 0))
        done.calls = Calls([(call.id, call.name) for call in content.calls])
        self.calls |= {call.id: call for call in content.calls if call.id}
        if again is None:
            flow.answer(done)
            self._keep(flow, done, span)
        else:
            self.ends[span.trace, span.id] = flow.answer_again(done).keys

    def _attempt(self, flow: Flow, span: Span, request: list[Message]) -> StepDraft | None:
        """The step of a request that failed right before and is made again here."""
        if flow.failed is None:
            return None
        step, signature, failed = flow.failed
        is_same = signature == _signature(request) and self.forest.parent[failed] is self.forest.parent[span]
        if not is_same or span.began + CLOSE < failed.ended:
            return None
        errors = step.tool_info.get("errors", [])
        errors.append(text_of(step.error.get("message")))
        step.tool_info |= {"attempts": len(errors) + 1, "errors": errors}
        step.error = {}
        return step

    def _fill(self, step: StepDraft, span: Span) -> None:
        """Set model, bill, time and error from a span; those of a further attempt are added to the step's."""
        step.model_info = text_of(first(span.attributes, MODEL))
        step.provider = text_of(first(span.attributes, PROVIDER))
        for name, value in tokens_of(span).items():
            step.usage[name] = step.usage.get(name, 0) + value
        step.cost += cost_of(span)
        step.duration += between(span.start, span.end)
        step.error = error_of(span)
        if span.place:
            step.places += [span.place, *span.more]

    def _outer_request(self, flow: Flow, span: Span) -> list[Message]:
        """The request as a span around the first chat of a flow recorded it."""
        if flow.heard is not None:
            return []
        for one in self.forest.above(span):
            found = request_of(one, self.requests)
            if any(message.role == "user" for message in found):
                return found
            if self.forest.kind[one] == AGENT and not flow.outer:
                break
        return []

    def _said_before(self, flow: Flow, span: Span, request: list[Message], parents: list[str]) -> tuple[list[str], str]:
        """(parents after the steps of what a person said, a prompt that came from elsewhere)."""
        said = [message for message in request if message.role == "user" and (message.content.texts or
                message.content.images)]  # fmt: skip
        texts = [message.content.text for message in said]
        if flow.heard is None:
            flow.heard = texts
            if flow.outer:
                flow.base = self._person(span, request, said, self._policy(span, request, parents))
                return list(flow.base), ""
            return parents, ""
        known = len(flow.heard)
        if texts[:known] == flow.heard:
            fresh = said[known:]
            flow.heard = texts
            return (self._person(span, request, fresh, parents) if fresh else parents), ""
        return parents, texts[-1] if texts and not flow.has_heard(texts[-1]) else ""

    def _policy(self, span: Span, request: list[Message], parents: list[str]) -> list[str]:
        system, tools = system_of(span, request), tools_of(span)
        if self.has_policy or not (system or tools):
            return parents
        self.has_policy = True
        inputs: JsonObject = {"system": system} if system else {}
        if tools is not None:
            inputs["tools"] = tools
        key = f"{span.trace} {span.id} policy"
        self.draft.add(key, StepKind.MODEL, parents, inputs=inputs, timestamp=span.start, v3_kind="policy")
        return [key]

    def _person(self, span: Span, request: list[Message], said: list[Message], parents: list[str]) -> list[str]:
        """Add the step of a person's words, with what was said before this trace as context; returns the keys.

        Words that the program put in a person's place are its instructions.
        """
        if not said:
            return parents
        inputs: JsonObject = {"text": said[-1].content.text}
        if said[-1].content.images:
            inputs["images"] = said[-1].content.images
        place = request.index(said[-1]) if said[-1] in request else 0
        before = [message for message in request[:place] if message.content.texts and message.role != "system"]
        earlier = [f"{message.role}: {message.content.text}" for message in before]
        if len(said) > 1 and earlier:
            inputs["context"] = "\n".join(earlier)
        key = f"{span.trace} {span.id} person"
        event = "policy" if said[-1].by_program else "human"
        self.draft.add(key, StepKind.MODEL, parents, inputs=inputs, timestamp=span.start, v3_kind=event)
        return [key]

    # -- tools and agents -----------------------------------------------------------------------------------------

    def _tool(self, flow: Flow, span: Span) -> None:
        call = tool_of(span)
        if not call.arguments and call.id in self.calls:
            call.arguments = self.calls[call.id].arguments
        asked, place = flow.answer_that_asked(self.forest, span, call.id, call.name)
        if asked is not None:
            asked.covered = span.ended if asked.covered is None else min(asked.covered, span.ended)
            parents = list(asked.keys)
            rank = (asked.start, place)
        else:
            parents = self._parents(flow, flow.before(span), span)
            rank = (span.began, 0)
        inner: list[str] = []
        if self.forest.works(span):
            given = call.arguments if isinstance(call.arguments, str) else _prompt_in(object_of(call.arguments))
            inner = self._inside(span, parents, self.forest.only_agent(span) or span, given, call.name)
        else:
            self.plain += len(self.forest.children.get(span, ()))
        step = self.draft.add(f"{span.trace} {span.id}", StepKind.TOOL, [*parents, *inner], inputs=call.recorded())
        step.timestamp = span.start
        step.duration = between(span.start, span.end)
        step.outputs = result_of(span)
        step.error = error_of(span) or (dict(NO_RESULT) if span.end is None and not step.outputs else {})
        if span.attributes.get(ONCE_NO_FAILURE):
            self.draft.once(step.key, {"error": {}}, rule=2)
        step.usage = tokens_of(span)
        if span.place:
            step.places += [span.place, *span.more]
        self._keep(flow, Done([step.key], span.began, span.ended, rank=rank), span)

    def _agent(self, flow: Flow, span: Span) -> None:
        """Add a sub-agent that no tool called, or an agent without recorded work inside."""
        before = flow.before(span)
        parents = self._parents(flow, before, span)
        if not self.forest.works(span):
            content, request = answer_of(span), request_of(span, self.requests)
            if not (content.texts or content.calls or tokens_of(span) or error_of(span)):
                self.plain += 1
                return
            if flow.heard is None and flow.outer:
                parents, _ = self._said_before(flow, span, request, parents)
            step = self.draft.add(f"{span.trace} {span.id}", StepKind.MODEL, parents, timestamp=span.start)
            self._fill(step, span)
            step.outputs = content.said()
            self._keep(flow, Done([step.key], span.began, span.ended, rank=(span.began, 0)), span)
            return
        said = [message.content.text for message in request_of(span, self.requests) if message.role == "user"]
        tips = self._inside(span, parents, span, said[-1] if said else "", "")
        keys = list(dict.fromkeys([*parents, *tips]))
        self._keep(flow, Done(keys, span.began, span.ended, rank=(span.began, 0)), span)

    def _mark(self, flow: Flow, span: Span) -> None:
        """Add a step that the reader itself made a span for: a score, a limit, a summary."""
        said = span.attributes
        step = self.draft.add(
            f"{span.trace} {span.id}", said["step.kind"], self._parents(flow, flow.before(span), span)
        )
        step.timestamp = span.start
        step.duration = between(span.start, span.end)
        step.inputs, step.outputs = object_of(said.get("step.inputs")), object_of(said.get("step.outputs"))
        step.error, step.v3_kind = object_of(said.get("step.error")), said.get("step.v3_kind")
        if span.place:
            step.places += [span.place, *span.more]
        self._keep(flow, Done([step.key], span.began, span.ended, rank=(span.began, 0)), span)

    def _branch(self, flow: Flow, span: Span) -> None:
        """Add a branch, which continues from its anchor and has no steps of the main flow after it."""
        base = self.anchors.get(text_of(span.attributes.get("branch.from")), list(flow.base))
        branch = Flow(base=list(base), heard=flow.heard, outer=flow.outer)
        self._run(branch, self.forest.children.get(span, []))

    def _inside(self, span: Span, parents: list[str], agent: Span, prompt: str, name: str) -> list[str]:
        """The last steps of what happened inside a tool or an agent."""
        flow = Flow(base=list(parents), outer=False, within=agent)
        start = self.draft.add(f"{span.trace} {span.id} agent", StepKind.MODEL, parents, v3_kind="subagent")
        start.timestamp = agent.start
        flow.base = [start.key]
        chats = [one for one in self.forest.first_chats(span) if request_of(one, self.requests)]
        request = request_of(chats[0], self.requests) if chats else []
        said = [message.content.text for message in request if message.role == "user" and message.content.texts]
        start.inputs = {"prompt": said[-1] if said else prompt}
        called = text_of(agent.attributes.get("gen_ai.agent.name")) or text_of(agent.attributes.get("agent_name"))
        start.inputs["agent"] = called or name or agent.name
        system = system_of(chats[0], request) if chats else ""
        if system:
            start.inputs["system"] = system
        flow.heard = said if chats else None
        self._run(flow, self.forest.children.get(span, []))
        return flow.tips() or [start.key]


def _signature(request: list[Message]) -> str:
    """A key for a request: equal for equal requests."""
    return "\x00".join(f"{message.role}{len(message.content.calls)}{message.content.text}" for message in request)


def _prompt_in(arguments: JsonObject) -> str:
    """The words that a call gives to the agent it starts."""
    for name in ("prompt", "input", "request", "task", "query", "message"):
        if text_of(arguments.get(name)):
            return text_of(arguments[name])
    return next((value for value in arguments.values() if isinstance(value, str)), "")
