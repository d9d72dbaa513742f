"use strict";
// Everything recorded comes out of the data block and is put on the page as text or as a number, never as markup.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);
  const steps = data.steps;
  const at = (id) => document.getElementById(id);
  const graph = at("graph"), side = at("side"), view = at("view");
  const quick = matchMedia("(prefers-reduced-motion: reduce)");
  const LARGEST = 4, FAR = 0.22, MARGIN = 40, MOST_ROWS = 300;

  function make(name, text, kind) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  }
  function draw(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const key in attributes) if (attributes[key] !== undefined) element.setAttribute(key, attributes[key]);
    return element;
  }
  function press(text, action, kind) {
    const button = make("button", text, kind);
    button.type = "button";
    button.addEventListener("click", action);
    return button;
  }

  // -- the picture -----------------------------------------------------------------------------------------------
  const colour = (number) => (number < 0 ? "none" : data.colours[number]);
  const FACES = ["Inter, system-ui, sans-serif", "Inter, system-ui, sans-serif", '"JetBrains Mono", ui-monospace, monospace'];
  const painters = {
    r: ([, x0, y0, x1, y1, fill, edge, radius, thick]) =>
      draw("rect", { x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: radius, fill: colour(fill), stroke: colour(edge), "stroke-width": thick }),
    t: ([, x, y, text, face, size, fill, width]) => {
      const element = draw("text", {
        x, y, "font-size": size, "font-family": FACES[face], "font-weight": face === 1 ? 600 : 400, fill: colour(fill),
        textLength: text.length > 1 ? width : undefined, lengthAdjust: "spacingAndGlyphs",
      });
      element.textContent = text;
      return element;
    },
    l: ([, points, edge, thick, dash]) =>
      draw("polyline", { points: points.join(" "), fill: "none", stroke: colour(edge), "stroke-width": thick, "stroke-dasharray": dash || undefined }),
    c: ([, p, edge, thick, dash]) =>
      draw("path", { d: `M${p[0]} ${p[1]}C${p.slice(2).join(" ")}`, fill: "none", stroke: colour(edge), "stroke-width": thick, "stroke-dasharray": dash || undefined }),
    p: ([, points, fill, edge, thick]) =>
      draw("polygon", { points: points.join(" "), fill: colour(fill), stroke: colour(edge), "stroke-width": thick }),
    o: ([, x, y, r, fill, edge, thick]) => draw("circle", { cx: x, cy: y, r, fill: colour(fill), stroke: colour(edge), "stroke-width": thick }),
  };
  const paint = (item) => painters[item[0]](item);

  const links = data.links.map((item) => {
    const p = item[1], xs = p.filter((_, i) => i % 2 === 0), ys = p.filter((_, i) => i % 2 === 1);
    return { item, box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)], element: null };
  });
  const cards = steps.map((step, number) => ({ step, number, box: step.box, element: null }));

  function card(entry) {
    const { step, number, box } = entry;
    const group = draw("g", { class: "step", role: "button", tabindex: number === here() ? 0 : -1, "data-step": number });
    group.setAttribute("aria-label", spoken(step));
    group.append(draw("rect", { class: "ring", x: box[0] - 3, y: box[1] - 3, width: box[2] - box[0] + 6, height: box[3] - box[1] + 6, rx: 11 }));
    for (const item of step.items) group.append(paint(item));
    group.classList.toggle("chosen", number === chosen);
    return group;
  }
  function spoken(step) {
    return [step.kind, step.title, step.line, step.figures, ...step.tags].filter(Boolean).join(", ");
  }

  // From afar one path a colour stands for all boxes, and one for all links: cheap at any number of steps.
  function farPicture() {
    const boxes = new Map(), lines = new Map();
    const add = (paths, key, piece) => paths.set(key, (paths.get(key) || "") + piece);
    for (const { item } of links) {
      const p = item[1];
      const way = item[0] === "c" ? `M${p[0]} ${p[1]}C${p.slice(2).join(" ")}` : `M${p.join(" ")}`;
      add(lines, item[2], way);
    }
    for (const step of steps) {
      const [x0, y0, x1, y1] = step.box;
      add(boxes, step.colour, `M${x0} ${y0}H${x1}V${y1}H${x0}Z`);
    }
    const group = draw("g", {});
    for (const [key, d] of lines) group.append(draw("path", { d, fill: "none", stroke: colour(key), "stroke-width": 4 }));
    for (const [key, d] of boxes) group.append(draw("path", { d, fill: colour(key) }));
    return group;
  }

  const layers = { far: null, links: draw("g", {}), cards: draw("g", {}) };
  view.append(layers.links, layers.cards);
  let camera = { x: 0, y: 0, zoom: 1 }, chosen = -1, focused = -1, waiting = false, flight = 0;
  const here = () => (focused >= 0 ? focused : chosen >= 0 ? chosen : 0);

  function refresh() {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => { waiting = false; show(); });
    }
  }
  function show() {
    const width = graph.clientWidth, height = graph.clientHeight, { x, y, zoom } = camera;
    view.setAttribute("transform", `translate(${width / 2 - x * zoom} ${height / 2 - y * zoom}) scale(${zoom})`);
    at("zoom").textContent = `${Math.round(zoom * 100)} %`;
    const far = zoom < FAR;
    if (far && !layers.far) { layers.far = farPicture(); view.prepend(layers.far); }
    if (layers.far) layers.far.setAttribute("visibility", far ? "visible" : "hidden");
    const w = width / 2 / zoom + MARGIN, h = height / 2 / zoom + MARGIN;
    const seen = (b) => !far && b[0] <= x + w && b[2] >= x - w && b[1] <= y + h && b[3] >= y - h;
    mount(links, layers.links, (entry) => seen(entry.box), (entry) => paint(entry.item));
    mount(cards, layers.cards, (entry) => seen(entry.box) || entry.number === chosen, card);
  }
  function mount(entries, layer, wanted, build) {
    // Steps that share a place lie over each other, later ones on top and the chosen one above all: the order is kept.
    let above = layer === layers.cards && chosen >= 0 ? cards[chosen].element : null;
    for (let place = entries.length - 1; place >= 0; place--) {
      const entry = entries[place], keep = wanted(entry);
      if (keep && !entry.element) { entry.element = build(entry); layer.insertBefore(entry.element, above); }
      if (keep && entry.element && entry.number !== chosen) above = entry.element;
      if (!keep && entry.element && !entry.element.contains(document.activeElement)) { entry.element.remove(); entry.element = null; }
    }
  }

  // -- the camera ------------------------------------------------------------------------------------------------
  const whole = () => Math.min(graph.clientWidth / data.width, graph.clientHeight / data.height, 1);
  const held = (zoom) => Math.min(Math.max(zoom, whole() / 2), LARGEST);
  function go(target) {
    cancelAnimationFrame(flight);
    if (quick.matches) { camera = target; refresh(); return; }
    const from = camera, began = performance.now();
    const fly = (now) => {
      const t = Math.min((now - began) / 200, 1), s = t * t * (3 - 2 * t);
      const zoom = from.zoom * Math.pow(target.zoom / from.zoom, s);
      camera = { x: from.x + (target.x - from.x) * s, y: from.y + (target.y - from.y) * s, zoom };
      refresh();
      if (t < 1) flight = requestAnimationFrame(fly);
    };
    flight = requestAnimationFrame(fly);
  }
  function zoomAt(factor, px, py) {
    cancelAnimationFrame(flight);
    const zoom = held(camera.zoom * factor), dx = px - graph.clientWidth / 2, dy = py - graph.clientHeight / 2;
    camera = { x: camera.x + dx / camera.zoom - dx / zoom, y: camera.y + dy / camera.zoom - dy / zoom, zoom };
    refresh();
  }
  function fitted() {
    return { x: data.width / 2, y: data.height / 2, zoom: whole() };
  }
  function first() {
    const all = fitted();
    if (all.zoom > 0.5) return all;
    // All of a long run at once says little: begin where two runs diverge, or at the beginning, at a size to be read.
    const boxes = data.start.map((number) => steps[number].box), zoom = 0.8;
    const x = boxes.reduce((sum, box) => sum + (box[0] + box[2]) / 2, 0) / boxes.length;
    return { x, y: Math.max((boxes[0][1] + boxes[0][3]) / 2, graph.clientHeight / 2 / zoom), zoom };
  }
  function centre(number) {
    const b = steps[number].box, zoom = Math.max(camera.zoom, 0.7);
    go({ x: (b[0] + b[2]) / 2, y: (b[1] + b[3]) / 2, zoom });
  }
  function inView(number) {
    const b = steps[number].box, w = graph.clientWidth / 2 / camera.zoom, h = graph.clientHeight / 2 / camera.zoom;
    return camera.zoom >= FAR && b[0] >= camera.x - w && b[2] <= camera.x + w && b[1] >= camera.y - h && b[3] <= camera.y + h;
  }

  // -- choosing --------------------------------------------------------------------------------------------------
  function choose(number, { focus = false, move = true } = {}) {
    const before = chosen;
    chosen = number;
    focused = number;
    if (move && number >= 0 && !inView(number)) centre(number);
    show();
    for (const old of new Set([before, number])) {
      const element = old >= 0 && cards[old].element;
      if (element) raise(old);
      if (element) { element.classList.toggle("chosen", old === chosen); element.setAttribute("tabindex", old === chosen ? 0 : -1); }
    }
    if (focus && number >= 0 && cards[number].element) cards[number].element.focus({ preventScroll: true });
    inspect();
    at("said").textContent = number >= 0 ? spoken(steps[number]) : "";
  }
  function raise(number) {
    const { element } = cards[number];
    const next = number === chosen ? null : cards.find((other) => other.number > number && other.element && other.number !== chosen);
    layers.cards.insertBefore(element, next ? next.element : chosen >= 0 && chosen !== number ? cards[chosen].element : null);
  }
  const children = steps.map(() => []);
  steps.forEach((step, number) => step.parents.forEach((parent) => children[parent].push(number)));
  function beside(number, way) {
    const b = steps[number].box, cx = (b[0] + b[2]) / 2, cy = (b[1] + b[3]) / 2, across = data.sideways ? 1 : 0;
    let best = -1, least = Infinity;
    steps.forEach((step, other) => {
      const c = [(step.box[0] + step.box[2]) / 2 - cx, (step.box[1] + step.box[3]) / 2 - cy];
      if (c[across] * way <= 1) return;
      const far = Math.abs(c[across]) + 4 * Math.abs(c[1 - across]);
      if (far < least) { least = far; best = other; }
    });
    return best;
  }
  function walk(key) {
    const number = chosen;
    if (number < 0) return 0;
    const keys = data.sideways ? ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"] : ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
    const which = keys.indexOf(key);
    const found = [() => steps[number].parents[0], () => children[number][0], () => beside(number, -1), () => beside(number, 1)][which]();
    return found === undefined || found < 0 ? number : found;
  }
  function nextPlace(way) {
    const places = data.places;
    if (!places.length) return;
    const after = places.findIndex((place) => place === chosen);
    choose(places[(after < 0 ? (way > 0 ? 0 : places.length - 1) : after + way + places.length) % places.length], { focus: true });
  }

  // -- what is said of it ----------------------------------------------------------------------------------------
  function tree(value, key, depth) {
    const label = key === undefined ? null : make("span", `${key}: `, "key");
    if (typeof value === "object" && (value.k || value.i)) {
      const parts = value.k || value.i.map((item, number) => [number, item]);
      const box = make("details");
      const head = make("summary");
      if (label) head.append(label);
      head.append(make("span", value.k ? `{${parts.length}}` : `[${parts.length}]`, "quiet"));
      box.append(head);
      const fill = () => {
        if (box.childElementCount > 1) return;
        for (const [name, item] of parts) box.append(tree(item, name, depth + 1));
        if (value.m) box.append(make("div", `and ${value.m} more, which this page leaves out`, "leaf quiet"));
      };
      box.addEventListener("toggle", () => box.open && fill());
      if (depth < 3) { box.open = true; fill(); }
      return box;
    }
    const leaf = make("div", undefined, "leaf");
    if (label) leaf.append(label);
    if (typeof value === "string") leaf.append(make("span", value, "string"));
    else if (value.s !== undefined) leaf.append(make("span", value.s, "string"), make("div", `and ${value.m} more characters, which this page leaves out`, "quiet"));
    else leaf.append(make("span", value.v, "scalar"));
    return leaf;
  }
  function rows(numbers, note, reasons = []) {
    const list = make("ul", undefined, "rows");
    for (const [place, number] of numbers.entries()) {
      const step = steps[number], item = make("li");
      const button = press("", () => choose(number, { focus: true }));
      button.append(make("span", step.title), make("div", [step.sign, step.kind, step.figures].filter(Boolean).join(" · "), "quiet"));
      if (reasons[place]) button.append(make("div", reasons[place], "reason text"));
      item.append(button);
      list.append(item);
    }
    if (note) list.append(make("li", note, "quiet"));
    return list;
  }
  function difference(lines) {
    const list = make("ul", undefined, "diff");
    for (const [kind, text, marks] of lines) {
      const item = make("li", undefined, kind);
      item.append(kind === "removed" ? "− " : kind === "added" ? "+ " : "");
      const letters = Array.from(text);
      let done = 0;
      for (const [from, to] of marks) {
        item.append(letters.slice(done, from).join(""), make("mark", letters.slice(from, to).join("")));
        done = to;
      }
      item.append(letters.slice(done).join(""));
      list.append(item);
    }
    return list;
  }
  function overview(box) {
    box.append(make("h2", data.overview.title));
    for (const line of data.overview.lines) box.append(make("p", line, "text"));
    if (data.overview.table.length) {
      const table = make("table");
      data.overview.table.forEach((cells, number) => {
        const row = make("tr");
        cells.slice(0, 4).forEach((cell, column) => {
          if (number) return row.append(make(column ? "td" : "th", cell, column ? cells[3 + column] : ""));
          const head = make("th");
          head.title = cell;
          head.append(make("span", cell));
          row.append(head);
        });
        table.append(row);
      });
      box.append(table);
    }
    data.divergences.forEach((found, number) => {
      box.append(make("h3", found.heading), make("p", found.said, "text"), rows(found.steps), difference(found.lines));
    });
    if (data.failures.length) {
      const rest = data.failureCount - data.failures.length;
      box.append(make("h3", "Failures"), rows(data.failures, rest > 0 ? `and ${rest} more` : "", data.reasons));
    }
    box.append(make("h3", "Keys"), make("p", "Arrows walk from step to step, Enter opens one, N and Shift+N go to the next and the previous " + (data.divergences.length ? "divergence" : "failure") + ", + and − zoom, 0 fits everything, / finds a step, Esc comes back here.", "quiet"));
  }
  function stepSheet(box, step) {
    box.append(press("← Overview", () => choose(-1, { move: false }), "back"));
    box.append(make("h2", step.title));
    if (step.line) box.append(make("p", step.line, "quiet text"));
    const tags = make("p");
    for (const tag of step.tags) tags.append(make("span", tag, "tag"));
    if (step.tags.length) box.append(tags);
    const facts = make("dl");
    for (const [name, value] of [["Kind", step.kind], ["Figures", step.figures], ...step.facts, ["Id", step.id]]) facts.append(make("dt", name), make("dd", value));
    box.append(facts);
    if (step.divergence) {
      const found = data.divergences[step.divergence - 1];
      box.append(make("h3", found.heading), make("p", found.said, "text"), difference(found.lines));
    }
    if (step.partner >= 0) box.append(make("h3", "Answers to"), rows([step.partner]));
    for (const [name, value] of step.payload) {
      const sheet = make("div", undefined, "tree");
      sheet.append(tree(value, undefined, 1));
      box.append(make("h3", name), sheet);
    }
    if (!step.payload.length) box.append(make("p", "Nothing else was recorded.", "quiet"));
    if (step.parents.length) box.append(make("h3", "After"), rows(step.parents));
    const number = steps.indexOf(step);
    if (children[number].length) box.append(make("h3", "Before"), rows(children[number]));
  }
  function found(box, text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const match = [];
    steps.forEach((step, number) => {
      const all = `${step.title} ${step.line} ${step.kind} ${step.id}`.toLowerCase();
      if (words.every((word) => all.includes(word))) match.push(number);
    });
    const rest = match.length - MOST_ROWS;
    box.append(make("h2", match.length === 1 ? "1 step" : `${match.length} steps`), rows(match.slice(0, MOST_ROWS), rest > 0 ? `and ${rest} more: type more to narrow` : ""));
  }
  function inspect() {
    const text = at("find").value.trim();
    side.replaceChildren();
    if (text) found(side, text);
    else if (chosen >= 0) stepSheet(side, steps[chosen]);
    else overview(side);
  }

  // -- hands -----------------------------------------------------------------------------------------------------
  const pointers = new Map();
  let pulled = false, under = -1, spread = 0;
  const place = (event) => { const box = graph.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  graph.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    pointers.set(event.pointerId, place(event));
    const step = event.target.closest(".step");
    pulled = false;
    under = step ? Number(step.dataset.step) : -1;
    spread = 0;
    cancelAnimationFrame(flight);
  });
  graph.addEventListener("pointermove", (event) => {
    const old = pointers.get(event.pointerId);
    if (!old) return;
    const now = place(event);
    if (pointers.size === 2) {
      pointers.set(event.pointerId, now);
      const [[ax, ay], [bx, by]] = [...pointers.values()];
      const apart = Math.hypot(ax - bx, ay - by);
      if (spread) zoomAt(apart / spread, (ax + bx) / 2, (ay + by) / 2);
      spread = apart;
      pulled = true;
      return;
    }
    if (!pulled && Math.hypot(now[0] - old[0], now[1] - old[1]) < 4) return;
    if (!pulled) { pulled = true; graph.setPointerCapture(event.pointerId); graph.classList.add("pulled"); }
    camera = { ...camera, x: camera.x - (now[0] - old[0]) / camera.zoom, y: camera.y - (now[1] - old[1]) / camera.zoom };
    pointers.set(event.pointerId, now);
    refresh();
  });
  const released = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    graph.classList.remove("pulled");
    if (pulled || event.type === "pointercancel") return;
    if (camera.zoom < FAR) {
      const [px, py] = place(event), x = camera.x + (px - graph.clientWidth / 2) / camera.zoom, y = camera.y + (py - graph.clientHeight / 2) / camera.zoom;
      // Boxes are small from here: the nearest within a few pixels is meant.
      const away = ({ box: b }) => Math.hypot(Math.max(b[0] - x, 0, x - b[2]), Math.max(b[1] - y, 0, y - b[3]));
      let least = 8 / camera.zoom;
      under = -1;
      steps.forEach((step, number) => { const far = away(step); if (far < least) { least = far; under = number; } });
    }
    at("find").value = "";
    choose(under, { focus: under >= 0, move: camera.zoom < FAR });
  };
  graph.addEventListener("pointerup", released);
  graph.addEventListener("pointercancel", released);
  graph.addEventListener("wheel", (event) => {
    event.preventDefault();
    const line = event.deltaMode === 1 ? 30 : 1;
    if (event.shiftKey) { camera = { ...camera, x: camera.x + ((event.deltaX || event.deltaY) * line) / camera.zoom }; refresh(); return; }
    zoomAt(Math.pow(1.0016, -event.deltaY * line), ...place(event));
  }, { passive: false });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === at("find"), inGraph = graph.contains(event.target) || event.target === document.body;
    if (event.key === "Escape") { at("find").value = ""; choose(-1, { move: false }); graph.focus({ preventScroll: true }); return; }
    if (typing) return;
    const zoom = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (zoom) zoomAt(zoom, graph.clientWidth / 2, graph.clientHeight / 2);
    else if (event.key === "0" || event.key === "Home") go(fitted());
    else if (event.key === "/") at("find").focus();
    else if (event.key === "n" || event.key === "N") nextPlace(event.shiftKey ? -1 : 1);
    else if (inGraph && event.key.startsWith("Arrow")) choose(walk(event.key), { focus: true });
    else if (inGraph && (event.key === "Enter" || event.key === " ")) {
      const step = event.target.closest(".step");
      choose(step ? Number(step.dataset.step) : here(), { focus: true });
    } else return;
    event.preventDefault();
  });
  layers.cards.addEventListener("focusin", (event) => { const step = event.target.closest(".step"); if (step) focused = Number(step.dataset.step); });
  at("find").addEventListener("input", inspect);
  at("out").addEventListener("click", () => zoomAt(0.8, graph.clientWidth / 2, graph.clientHeight / 2));
  at("in").addEventListener("click", () => zoomAt(1.25, graph.clientWidth / 2, graph.clientHeight / 2));
  at("fit").addEventListener("click", () => go(fitted()));
  at("panel").addEventListener("click", () => document.body.classList.toggle("wide"));
  new ResizeObserver(refresh).observe(graph);

  // -- begin -----------------------------------------------------------------------------------------------------
  document.title = data.title;
  at("title").textContent = data.title;
  for (const line of data.heading) at("heading").append(make("p", line, "text"));
  for (const [sign, paintedIn, text] of data.legend) {
    const item = make("li"), mark = make("span", sign, "sign");
    mark.style.background = colour(paintedIn);
    item.append(mark, make("span", text));
    at("legend").append(item);
  }
  camera = first();
  inspect();
  show();
})();
