// Draws a page beside its text. Everything from the document is set as text, never as markup.
export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".reader");
  const make = (tag, classes, text) => {
    const element = document.createElement(tag);
    element.className = classes;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  const columns = make("div", "columns");
  const sheet = make("div", "sheet");
  const text = make("div", "text");
  text.dir = "auto";
  columns.append(sheet, text);

  const parts = new Map(); // child position -> what is drawn of it
  const families = new Map(); // parent position -> what is drawn of it
  const add = (map, key, element) => {
    if (key === null || key === undefined) return;
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(element);
  };
  const parentOf = new Map(data.chunks.map((chunk) => [chunk.number, chunk.parent]));

  let pinned = null;
  const light = (child) => {
    for (const element of root.querySelectorAll(".lit, .family")) {
      element.classList.remove("lit", "family");
    }
    if (child === null) return;
    for (const element of families.get(parentOf.get(child)) ?? []) {
      element.classList.add("family");
    }
    for (const element of parts.get(child) ?? []) element.classList.add("lit");
  };
  const answer = (element, child) => {
    element.addEventListener("mouseenter", () => light(child));
    element.addEventListener("mouseleave", () => light(pinned));
    element.addEventListener("click", () => {
      pinned = pinned === child ? null : child;
      light(pinned);
    });
  };

  if (data.image) {
    const image = make("img", "");
    image.src = data.image;
    image.alt = data.alt;
    sheet.append(image);
  } else {
    sheet.classList.add("missing");
    sheet.append(make("div", "plain", data.no_image));
  }
  const place = (box, classes) => {
    const element = make("div", `box ${classes}`);
    element.style.left = `${box[0] * 100}%`;
    element.style.top = `${box[1] * 100}%`;
    element.style.width = `${(box[2] - box[0]) * 100}%`;
    element.style.height = `${(box[3] - box[1]) * 100}%`;
    sheet.append(element);
    return element;
  };
  for (const chunk of data.chunks) {
    for (const box of chunk.boxes) {
      const element = place(box, `child${chunk.number % 2 ? " odd" : ""}`);
      element.title = `Chunk ${chunk.number + 1}`;
      add(parts, chunk.number, element);
      add(families, chunk.parent, element);
      answer(element, chunk.number);
    }
  }
  data.hits.forEach((boxes, index) => {
    for (const box of boxes) place(box, `hit${index === data.chosen ? " chosen" : ""}`);
  });

  if (!data.segments.length) text.append(make("div", "plain", data.no_text));
  const tagged = new Set();
  let group = null;
  let inside;
  for (const segment of data.segments) {
    const parent = data.borders ? segment.parent : null;
    // White space between two parents belongs to neither: the gap between them shows it.
    if (parent === null && data.borders && !segment.text.trim()) continue;
    if (group === null || inside !== parent) {
      inside = parent;
      group = make("div", parent === null && data.borders ? "parent outside" : "parent");
      if (!data.borders) group.classList.add("outside");
      if (parent !== null) {
        const heading = data.parents[parent] ? `: ${data.parents[parent]}` : "";
        group.append(make("span", "name", `Parent chunk ${parent + 1}${heading}`));
      }
      text.append(group);
    }
    if (data.borders) {
      for (const child of segment.children) {
        if (tagged.has(child)) continue;
        tagged.add(child);
        const tag = make("button", "tag", String(child + 1));
        tag.type = "button";
        tag.title = `Chunk ${child + 1}: click to keep it marked`;
        add(parts, child, tag);
        answer(tag, child);
        tag.addEventListener("focus", () => light(child));
        tag.addEventListener("blur", () => light(pinned));
        group.append(tag);
      }
    }
    const piece = make(segment.hit === null ? "span" : "mark", "piece", segment.text);
    if (!segment.body) {
      piece.classList.add("outside");
      piece.title = "Running head or foot: shown here, left out of the chunks";
    }
    if (segment.hit !== null) {
      piece.classList.add("hit");
      if (segment.hit === data.chosen) piece.classList.add("chosen");
    }
    if (data.borders && segment.children.length) {
      const last = segment.children[segment.children.length - 1];
      if (segment.children.length > 1) piece.classList.add("shared");
      else if (last % 2) piece.classList.add("odd");
      for (const child of segment.children) add(parts, child, piece);
      add(families, segment.parent, piece);
      answer(piece, last);
    }
    group.append(piece);
  }

  root.replaceChildren(columns);
  if (!root.dataset.opened) {
    // The list may have been scrolled down: a document that opens is seen from its top.
    root.dataset.opened = "yes";
    root.ownerDocument.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
  }
}
