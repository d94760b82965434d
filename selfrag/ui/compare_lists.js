// Ranked lists from data; text only ever becomes textContent.
const LABELS = [
  [2, "check_circle", "Relevant", "good"],
  [1, "error", "Partly relevant", "fair"],
  [0, "cancel", "Not relevant", "bad"],
];
const HUES = 8;

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

const place = (card) => Number(card.at.split("-")[1]) + 1;

function labelButtons(card, data, send) {
  const row = make("div", "labels");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `Label passage ${card.numbers[0] ?? place(card)}`);
  const has = data.labels[card.id];
  for (const [value, icon, word, tone] of LABELS) {
    const button = make("button", `label ${tone}`);
    const pressed = has === value;
    button.type = "button";
    button.title = pressed ? `${word}: click to take it back` : word;
    button.dataset.focus = `${card.at}-${value}`;
    button.setAttribute("aria-label", word);
    button.setAttribute("aria-pressed", String(pressed));
    const symbol = make("span", "icon", icon);
    symbol.setAttribute("aria-hidden", "true");
    button.append(symbol);
    if (pressed) button.append(make("span", "", word));
    button.onclick = (event) => {
      event.stopPropagation();
      send("label", { id: card.id, value: pressed ? null : value });
    };
    row.append(button);
  }
  return row;
}

function cardElement(card, data, send, light) {
  const box = make("article", "card");
  box.dataset.ids = card.ids.join(" ");
  const head = make("button", "head");
  head.type = "button";
  head.dataset.focus = String(card.at);
  head.setAttribute("aria-pressed", String(card.ids.includes(data.chosen)));
  head.title = card.rank ? "Show it in every list" : "Show all of it below";
  if (card.rank) head.append(make("span", "rank", `${card.rank}.`));
  for (const number of card.numbers) {
    const chip = make("span", card.shared ? `chip hue${number % HUES}` : "chip", String(number));
    head.append(chip);
  }
  head.append(make("span", "finders", card.rank ? card.finders : "all of it"));
  const source = make("div", "source");
  source.append(make("span", "document", card.document), make("span", "page", card.page));
  const choose = () => send("chosen", card.ids.includes(data.chosen) ? "" : card.id);
  box.append(head, source, make("div", "text", card.text), labelButtons(card, data, send));
  box.onclick = choose;
  box.onmouseenter = () => light(card.ids);
  box.onmouseleave = () => light([data.chosen]);
  head.onfocus = () => light(card.ids);
  head.onblur = () => light([data.chosen]);
  return box;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  let root = parentElement.querySelector(".lists");
  if (!root) {
    root = make("div", "lists");
    parentElement.append(root);
  }
  const focused = root.getRootNode().activeElement?.dataset?.focus;
  const scrolled = root.scrollLeft;
  const light = (ids) => {
    for (const card of root.querySelectorAll(".card")) {
      const own = card.dataset.ids.split(" ");
      card.classList.toggle("lit", ids.some((id) => id && own.includes(id)));
    }
  };
  root.replaceChildren();
  root.classList.toggle("blind", data.columns.length === 1);
  data.columns.forEach((column, index) => {
    const list = make("section", "list");
    if (column.name) {
      list.style.setProperty("--mode", column.colour);
      const title = make("div", "title");
      title.append(make("strong", "", column.name), make("span", "note", column.note));
      list.append(title);
    }
    if (column.said) list.append(make("p", "said", column.said));
    column.cards.forEach((card, row) => {
      card.at = `${index}-${row}`;
      list.append(cardElement(card, data, setTriggerValue, light));
    });
    root.append(list);
  });
  light([data.chosen]);
  root.scrollLeft = scrolled;
  if (focused) root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
}
