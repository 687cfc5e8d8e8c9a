// Tables, pictures and consoles wider than the page: fades the side where more is hidden, and says of the first two that
// they can be scrolled. Tables are marked too, so that the style holds their first column. What fits is left alone.
(() => {
  const KINDS = [
    { boxes: ".pst-scrollable-table-container", what: "A wide table", hint: "more columns: scroll the table sideways →" },
    { boxes: ".rw-broad", what: "A wide picture", hint: "a wide picture: scroll it sideways →" },
    { boxes: ".bd-article .highlight pre", what: "Wide text" },
  ];

  function mark(box, kind) {
    const hidden = box.scrollWidth - box.clientWidth;
    const wide = hidden > 1;
    box.classList.toggle("rw-wide", wide);
    box.classList.toggle("rw-more", wide && box.scrollLeft < hidden - 1);
    if (kind.hint) box.previousElementSibling.hidden = !wide;
    if (wide) {
      box.tabIndex = 0; // so that the arrow keys scroll it
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", `${kind.what}: scroll sideways`);
    }
  }

  const markAll = () =>
    KINDS.forEach((kind) => document.querySelectorAll(kind.boxes).forEach((box) => mark(box, kind)));

  // Pictures that a phone would shrink until nobody can read them: those much broader than high need more room than others.
  function wrapBroad(picture) {
    const width = picture.naturalWidth;
    const broad = width >= Math.max(700, 1.8 * picture.naturalHeight);
    const shrunk = width > 1.35 * picture.parentElement.clientWidth;
    if (!(broad || shrunk) || picture.closest(".rw-broad")) return;
    const box = document.createElement("div");
    box.className = broad ? "rw-broad" : "rw-broad rw-legible";
    picture.before(box);
    box.append(picture);
  }

  window.addEventListener("load", () => {
    for (const word of document.querySelectorAll(".bd-article code .pre"))
      word.classList.toggle("rw-option", word.textContent.startsWith("-"));
    document.querySelectorAll(".bd-article img:is(.sphx-glr-single-img, .rw-drawn, [src*='sphx_glr_plot']):not([src*='thumb'])").forEach(wrapBroad);
    for (const kind of KINDS) {
      for (const box of document.querySelectorAll(kind.boxes)) {
        if (kind.hint) {
          const hint = document.createElement("p");
          hint.className = "rw-hint";
          hint.textContent = kind.hint;
          box.before(hint);
        }
        box.addEventListener("scroll", () => mark(box, kind), { passive: true });
      }
    }
    markAll();
  });
  window.addEventListener("resize", markAll);
})();
