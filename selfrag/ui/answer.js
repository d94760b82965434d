// Builds the answer from data; text only ever becomes textContent.
const TAGS = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th",
  "td", "pre", "hr", "br", "strong", "em", "s", "code", "div"]);
const MEANING = {
  full: ["check_circle", "backed by a source"],
  partial: ["error", "partly backed"],
  none: ["cancel", "not backed"],
};

function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function cite(node, data, open) {
  const button = element("button", "cite", String(node.cite));
  const source = data.sources[node.cite];
  button.type = "button";
  button.title = source;
  button.setAttribute("aria-label", `Show source ${node.cite}: ${source}`);
  button.setAttribute("aria-pressed", String(data.shown === node.cite));
  button.onclick = () => open(node.cite);
  return button;
}

function build(nodes, parent, data, open) {
  nodes.forEach((node, position) => {
    if (node.cite !== undefined) {
      parent.append(cite(node, data, open));
    } else if (node.text !== undefined) {
      if (!node.support) {
        parent.append(node.text);
        return;
      }
      const claim = element("span", `claim ${node.support}`, node.text);
      claim.title = MEANING[node.support][1];
      parent.append(claim);
      const next = nodes[position + 1];
      const goesOn = next && next.claim === node.claim && next.text !== undefined;
      if (node.support !== "full" && !goesOn) {
        parent.append(element("span", "unseen", ` (${MEANING[node.support][1]})`));
      }
    } else {
      const tag = node.tag === "h" ? "p" : TAGS.has(node.tag) ? node.tag : "div";
      const made = element(tag, node.tag === "h" ? "heading" : "");
      if (node.start) made.start = node.start;
      build(node.children, made, data, open);
      parent.append(made);
    }
  });
}

function supports(nodes, found) {
  nodes.forEach((node) => {
    if (node.support) found.add(node.support);
    if (node.children) supports(node.children, found);
  });
  return found;
}

function legend(found) {
  const line = element("div", "legend");
  Object.entries(MEANING).forEach(([kind, [icon, words]]) => {
    if (!found.has(kind)) return;
    const item = element("span", `item ${kind}`);
    const symbol = element("span", "icon", icon);
    symbol.setAttribute("aria-hidden", "true");
    item.append(symbol, element("span", `claim ${kind}`, words));
    line.append(item);
  });
  return line;
}

// Beside a short answer the evidence is in view already, and nothing moves.
function bringIntoView(name) {
  const evidence = document.getElementsByClassName(name)[0];
  const top = evidence?.getBoundingClientRect().top;
  if (top === undefined || (top >= 0 && top < innerHeight / 2)) return;
  evidence.style.scrollMarginTop = "5rem";
  evidence.scrollIntoView({ block: "start" });
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".answer");
  if (!root) {
    root = element("div", "answer");
    parentElement.append(root);
  }
  const focused = root.getRootNode().activeElement?.textContent;
  root.replaceChildren();
  build(data.tree, root, data, (number) => {
    root.dataset.wanted = number;
    setTriggerValue("cited", number);
    bringIntoView(data.evidence);
  });
  // Another page takes a moment to be drawn, and moves what stands under it.
  if (root.dataset.wanted === String(data.shown)) {
    delete root.dataset.wanted;
    for (const wait of [0, 300, 1000]) setTimeout(() => bringIntoView(data.evidence), wait);
  }
  const found = supports(data.tree, new Set());
  if (found.size) root.append(legend(found));
  // Data that changes rebuilds the text: who uses the keyboard stays where they were.
  if (focused) {
    [...root.querySelectorAll(".cite")].find((it) => it.textContent === focused)?.focus();
  }
}
