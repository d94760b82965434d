// Adds up presses of the arrow keys and sends the sum: a message that the next one overtakes loses
// none of them, as a click on a button would be lost.
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const OWN_USE = "input, textarea, select, [contenteditable=true], [role=radio], [role=slider], [role=tab]";

function listen(place, sum) {
  const press = (event) => {
    if (!place.isConnected) {
      document.removeEventListener("keydown", press);
      return;
    }
    const step = STEPS[event.key];
    if (!step || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.composedPath()[0].closest?.(OWN_USE)) return;
    event.preventDefault();
    sum += step;
    place.send("pressed", sum);
  };
  document.addEventListener("keydown", press);
}

// Called again whenever Python has counted, which takes a moment: the listener stays all the while.
export default function ({ data, parentElement, setStateValue }) {
  const place = parentElement.querySelector("span");
  const first = !place.send;
  place.send = setStateValue;
  if (first) listen(place, data.pressed);
  place.className = "listening";
}
