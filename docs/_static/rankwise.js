// Tables wider than the page: says that they can be scrolled, and marks them so that the style holds their first
// column. What fits is left alone.
(() => {
  const boxes = () => document.querySelectorAll(".pst-scrollable-table-container");

  function mark(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    const wide = hidden > 1;
    box.classList.toggle("rw-wide", wide);
    box.classList.toggle("rw-more", wide && box.scrollLeft < hidden - 1);
    box.previousElementSibling.hidden = !wide;
    if (wide) {
      box.tabIndex = 0; // so that the arrow keys scroll it
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", "A wide table: scroll sideways");
    }
  }

  window.addEventListener("load", () => {
    for (const box of boxes()) {
      const hint = document.createElement("p");
      hint.className = "rw-hint";
      hint.textContent = "more columns: scroll the table sideways →";
      box.before(hint);
      box.addEventListener("scroll", () => mark(box), { passive: true });
      mark(box);
    }
  });
  window.addEventListener("resize", () => boxes().forEach(mark));
})();
