"use strict";
// The page can be read without this: it adds buttons to copy text, and to sort the front.

function copyText(source, button) {
  const done = (text) => {
    button.textContent = text;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  const selectIt = () => {
    getSelection().selectAllChildren(source);
    done(document.execCommand("copy") ? "Copied" : "Press Ctrl+C");
  };
  if (navigator.clipboard) {
    navigator.clipboard.writeText(source.textContent).then(() => done("Copied"), selectIt);
  } else {
    selectIt();
  }
}

for (const box of document.querySelectorAll("[data-copy]")) {
  const source = document.getElementById(box.dataset.copy);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy " + box.dataset.what);
  button.addEventListener("click", () => copyText(source, button));
  box.append(button);
}

function sortBy(table, header) {
  const column = header.cellIndex;
  const rising = header.getAttribute("aria-sort") !== "ascending";
  const value = (row) => Number(row.cells[column].dataset.v);
  const rows = Array.from(table.tBodies[0].rows);
  // Equal rows keep the order that the report gives them, whichever way they are sorted.
  rows.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === b) return one.dataset.at - other.dataset.at;
    return (a < b) === rising ? -1 : 1;
  });
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", rising ? "ascending" : "descending");
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const header of table.querySelectorAll("th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, header));
    header.append(button);
  }
}
