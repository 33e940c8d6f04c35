"use strict";
// The tables of findings: decoded when they come into view, sorted and filtered here. Everything else
// on the page works without this.
(() => {
  const ROWS = 50;
  // Attributes with more values than this are filtered by typing instead of choosing.
  const CHOICES = 100;
  const ARROW = " \u2192 ";
  const grouped = new Intl.NumberFormat("en-US").format;

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

  // Whole numbers of one, two or four bytes, whichever makes as many as there are rows.
  const integers = (base64, rows) => {
    const raw = bytes(base64);
    const kinds = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
    return new kinds[raw.length / rows](raw.buffer);
  };

  const three = (number) => number.toFixed(3);

  // The columns of a table. Each gives the text of a row, a key to sort by, and what it is filtered by.
  const columnsOf = (data) => {
    const rows = data.shown;
    const columns = [placeColumn(data)];
    const attributes = data.columns.map((column) => attributeColumn(column, rows));
    columns.push(...attributes.filter((column) => column.flips));
    if (data.decisions.length > 0) columns.push(decisionColumn(data, rows));
    columns.push(...scoreColumns(data));
    columns.push(...attributes.filter((column) => !column.flips));
    return columns;
  };

  const placeColumn = (data) => {
    const place = (row) => Math.floor((row * data.total) / data.shown) + 1;
    return { name: "no.", number: true, text: (row) => grouped(place(row)), key: (row) => row, filters: [] };
  };

  const attributeColumn = (column, rows) => {
    const values = column.values;
    const words = values.map(String);
    const person = integers(column.person, rows);
    const number = values.every((value) => typeof value === "number");
    const filter = (label, places) => ({ label, values, words, places, number });
    if (column.counterpart === null) {
      return {
        name: column.name, number, words, places: person,
        text: (row) => words[person[row]],
        key: (row) => person[row],
        filters: [filter(column.name, person)],
      };
    }
    const counterpart = integers(column.counterpart, rows);
    return {
      name: column.name, flips: true, words, places: person,
      text: (row) => (person[row] === counterpart[row]
        ? words[person[row]] : words[person[row]] + ARROW + words[counterpart[row]]),
      key: (row) => person[row] * values.length + counterpart[row],
      filters: [filter(`${column.name}, person`, person), filter(`${column.name}, counterpart`, counterpart)],
    };
  };

  const decisionColumn = (data, rows) => {
    const words = data.decisions;
    const [own, other] = data.decided.map((base64) => integers(base64, rows));
    const filter = (label, places) => ({ label, values: words, words, places, number: false });
    return {
      name: "decision", flips: true,
      text: (row) => words[own[row]] + ARROW + words[other[row]],
      key: (row) => own[row] * words.length + other[row],
      filters: words.length > 1
        ? [filter("decision, person", own), filter("decision, counterpart", other)] : [],
    };
  };

  const scoreColumns = (data) => {
    const [own, other] = data.scores.map((base64) => new Float32Array(bytes(base64).buffer));
    const gap = own.map((score, row) => Math.abs(score - other[row]));
    const filter = { label: "gap", numbers: gap, number: true };
    return [
      { name: "score", number: true, text: (row) => three(own[row]) + ARROW + three(other[row]), key: (row) => own[row], filters: [] },
      { name: "gap", number: true, text: (row) => three(gap[row]), key: (row) => gap[row], filters: [filter] },
    ];
  };

  const kind = (column) => (column.flips ? "flip" : column.number ? "number" : "");

  // What is typed about numbers: `30`, `30 to 40`, `> 30`. Nothing if it cannot be read.
  const numberTest = (typed) => {
    const range = /^\s*(-?[\d.]+)\s*(?:to|\.\.|-|\u2013)\s*(-?[\d.]+)\s*$/.exec(typed);
    if (range) {
      const [low, high] = [Number(range[1]), Number(range[2])];
      return Number.isNaN(low) || Number.isNaN(high) ? null : (value) => low <= value && value <= high;
    }
    const one = /^\s*(<=|>=|<|>|=)?\s*(-?[\d.]+)\s*$/.exec(typed);
    if (!one || Number.isNaN(Number(one[2]))) return null;
    const bound = Number(one[2]);
    return {
      "<=": (value) => value <= bound,
      ">=": (value) => value >= bound,
      "<": (value) => value < bound,
      ">": (value) => value > bound,
    }[one[1]] ?? ((value) => value === bound);
  };

  class Findings {
    constructor(host, data) {
      this.host = host;
      this.shown = data.shown;
      this.columns = columnsOf(data);
      this.tests = new Map();
      this.sorted = { column: this.columns.findIndex((column) => column.name === "gap"), down: true };
      this.page = 0;
      this.build();
      this.refresh();
    }

    build() {
      this.status = element("p", { role: "status" });
      this.body = element("tbody");
      this.headers = this.columns.map((column, place) => this.header(column, place));
      const table = element("table", { class: "rows" },
        element("thead", {}, element("tr", {}, ...this.headers)), this.body);
      const label = `Findings of ${this.host.dataset.benchmark}`;
      const region = element("div", { class: "scroll", role: "group", "aria-label": label, tabindex: "0" }, table);
      this.host.append(this.filters(), this.status, this.pager(), region);
    }

    header(column, place) {
      const button = element("button", { type: "button" }, column.name);
      button.addEventListener("click", () => {
        const again = this.sorted.column === place;
        this.sorted = { column: place, down: again ? !this.sorted.down : false };
        this.page = 0;
        this.refresh();
      });
      return element("th", { scope: "col", class: kind(column) }, button);
    }

    filters() {
      const grid = element("div", { class: "grid" });
      grid.append(this.control("any attribute contains", this.typed((typed) => this.anywhere(typed))));
      for (const filter of this.columns.flatMap((column) => column.filters)) {
        grid.append(this.control(filter.label, this.input(filter)));
      }
      const clear = element("button", { type: "button" }, "Clear filters");
      clear.addEventListener("click", () => {
        for (const input of grid.querySelectorAll("input, select")) {
          input.value = "";
          input.removeAttribute("aria-invalid");
        }
        this.tests.clear();
        this.changed();
      });
      return element("details", { class: "filters" }, element("summary", {}, "Filter"), grid, clear);
    }

    control(label, input) {
      return element("label", {}, label, input);
    }

    input(filter) {
      if (filter.numbers) {
        return this.typed((typed) => {
          const test = numberTest(typed);
          return test && ((row) => test(filter.numbers[row]));
        }, "e.g. > 0.5");
      }
      if (filter.values.length <= CHOICES) return this.choice(filter);
      return this.typed((typed) => {
        const test = filter.number
          ? numberTest(typed) : (word) => String(word).toLowerCase().includes(typed.toLowerCase());
        const fits = test && filter.values.map(test);
        return fits && ((row) => fits[filter.places[row]]);
      }, filter.number ? "e.g. 30 to 40" : "");
    }

    choice(filter) {
      const select = element("select", {}, element("option", { value: "" }, "any"));
      filter.words.forEach((word, place) => select.append(element("option", { value: place }, word)));
      select.addEventListener("change", () => {
        const chosen = select.value === "" ? null : Number(select.value);
        this.test(select, chosen === null ? null : (row) => filter.places[row] === chosen);
        this.changed();
      });
      return select;
    }

    typed(understand, placeholder = "") {
      const input = element("input", { type: "text", placeholder, autocomplete: "off", spellcheck: "false" });
      input.addEventListener("input", () => {
        const typed = input.value.trim();
        const test = typed === "" ? null : understand(typed);
        input.toggleAttribute("aria-invalid", false);
        if (typed !== "" && test === null) input.setAttribute("aria-invalid", "true");
        this.test(input, test);
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.changed(), 150);
      });
      return input;
    }

    anywhere(typed) {
      const wanted = typed.toLowerCase();
      const columns = this.columns.filter((column) => column.places).map((column) => ({
        places: column.places,
        fits: column.words.map((word) => word.toLowerCase().includes(wanted)),
      }));
      return (row) => columns.some(({ places, fits }) => fits[places[row]]);
    }

    test(input, test) {
      if (test === null) this.tests.delete(input);
      else this.tests.set(input, test);
    }

    changed() {
      this.page = 0;
      this.refresh();
    }

    pager() {
      const button = (label, move) => {
        const made = element("button", { type: "button" }, label);
        made.addEventListener("click", () => {
          if (made.getAttribute("aria-disabled") !== "true") this.turn(move());
        });
        return made;
      };
      this.back = [button("First", () => 0), button("Previous", () => this.page - 1)];
      this.on = [button("Next", () => this.page + 1), button("Last", () => this.pages() - 1)];
      this.number = element("input", { type: "number", min: "1", "aria-label": "Page" });
      this.number.addEventListener("change", () => this.turn(Number(this.number.value) - 1));
      this.of = element("span");
      const label = `Pages of the findings of ${this.host.dataset.benchmark}`;
      return element("nav", { class: "pages", "aria-label": label }, ...this.back,
        element("span", {}, "page ", this.number, " of ", this.of), ...this.on);
    }

    pages() {
      return Math.max(1, Math.ceil(this.order.length / ROWS));
    }

    turn(page) {
      this.page = Math.min(Math.max(0, Math.floor(page) || 0), this.pages() - 1);
      this.show();
    }

    refresh() {
      const tests = [...this.tests.values()];
      const kept = new Uint32Array(this.shown);
      let count = 0;
      for (let row = 0; row < this.shown; row += 1) {
        if (tests.every((test) => test(row))) kept[count++] = row;
      }
      this.order = this.inOrder(kept.subarray(0, count));
      this.show();
      this.tell();
    }

    // Rows with the same key stay in the order in which the search met them.
    inOrder(rows) {
      const { column, down } = this.sorted;
      const keys = new Float64Array(this.shown);
      for (const row of rows) keys[row] = this.columns[column].key(row);
      const sign = down ? -1 : 1;
      return rows.sort((one, other) => sign * (keys[one] - keys[other]) || one - other);
    }

    show() {
      const start = this.page * ROWS;
      const rows = [...this.order.subarray(start, start + ROWS)].map((row) => {
        const cells = this.columns.map((column) => element("td", { class: kind(column) }, column.text(row)));
        return element("tr", {}, ...cells);
      });
      this.body.replaceChildren(...rows);
      const last = this.pages() - 1;
      for (const button of this.back) button.setAttribute("aria-disabled", String(this.page === 0));
      for (const button of this.on) button.setAttribute("aria-disabled", String(this.page === last));
      this.number.value = this.page + 1;
      this.number.max = last + 1;
      this.of.textContent = grouped(last + 1);
      this.headers.forEach((header, place) => {
        const sorted = this.sorted.column === place;
        header.setAttribute("aria-sort", !sorted ? "none" : this.sorted.down ? "descending" : "ascending");
      });
    }

    tell() {
      const unread = this.host.querySelector('[aria-invalid="true"]')
        ? ". A filter cannot be read: write 30, 30 to 40 or > 30" : "";
      const { column, down } = this.sorted;
      const order = `${this.columns[column].name}, ${down ? "descending" : "ascending"}`;
      this.status.textContent =
        `${grouped(this.order.length)} of ${grouped(this.shown)} findings, by ${order}${unread}.`;
    }
  }

  const open = (host) => {
    if (host.dataset.open) return;
    host.dataset.open = "yes";
    const data = host.parentElement.querySelector('script[type="application/json"]');
    new Findings(host, JSON.parse(data.textContent));
  };

  const hosts = [...document.querySelectorAll(".host")];
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      observer.unobserve(entry.target);
      open(entry.target);
    }
  }, { rootMargin: "800px" });
  for (const host of hosts) observer.observe(host);

  // On paper everything is unfolded.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    hosts.forEach(open);
    folded = [...document.querySelectorAll("details:not([open]):not(.filters):not(.aside)")];
    for (const details of folded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });
})();
