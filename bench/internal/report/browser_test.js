// Looks at all plots and texts of a page. Its value is what it has seen, and what is wrong.
(() => {
	const problems = [], found = { plots: 0, marks: 0, texts: 0 };
	const wrong = (e, ...what) => {
		const where = e.closest("section, header")?.id ?? "", plot = e.closest("svg")?.getAttribute("aria-label") ?? e.tagName;
		if (problems.length < 20) problems.push([where, plot, ...what].join(" | "));
	};
	const box = (e) => e.getBoundingClientRect();
	const inside = (a, b, by) => a.left >= b.left - by && a.right <= b.right + by && a.top >= b.top - by && a.bottom <= b.bottom + by;

	if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} pixels wide, the window ${innerWidth}`);

	for (const svg of document.querySelectorAll("svg.plot")) {
		if (!svg.checkVisibility()) continue;
		found.plots++;
		if (!svg.getAttribute("aria-label") || svg.getAttribute("role") !== "img") wrong(svg, "has no role and label");
		const outer = box(svg), marks = svg.querySelectorAll(".mark");
		found.marks += marks.length;
		if (marks.length !== Number(svg.dataset.count)) wrong(svg, marks.length, "marks instead of", svg.dataset.count);
		for (const m of marks) {
			const b = box(m);
			if (!(b.height > 0) || b.width === 0 && m.tagName !== "rect") wrong(m, "a mark without size");
			if (!inside(b, outer, 1.5)) wrong(m, "a mark is outside", m.outerHTML);
			if (!m.closest("[data-i]")) wrong(m, "a mark that is nobody's");
		}
		for (const e of svg.querySelectorAll("*")) for (const a of e.attributes)
			if (/NaN|Infinity|%!|undefined/.test(a.value)) wrong(e, a.name, a.value);
		const texts = [...svg.querySelectorAll("text")].map((e) => [e, box(e)]);
		const card = box(svg.closest("figure, .glances"));
		texts.forEach(([e, b], i) => {
			if (!inside(b, card, 0)) wrong(e, "a text is outside:", e.textContent);
			for (const m of marks) {
				const c = box(m);
				if (e.matches(".name, .figure") && b.left < c.right && c.left < b.right && b.top < c.bottom && c.top < b.bottom) wrong(e, "a text lies over a mark:", e.textContent);
			}
			for (const [f, c] of texts.slice(i + 1))
				if (b.left < c.right - 1 && c.left < b.right - 1 && b.top < c.bottom - 1.5 && c.top < b.bottom - 1.5) wrong(e, "two texts overlap:", e.textContent, f.textContent);
		});
	}

	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; (n = walk.nextNode()); ) {
		const e = n.parentElement;
		if (!n.textContent.trim() || !e.checkVisibility() || e.closest("title, script, style, option")) continue;
		found.texts++;
		const style = getComputedStyle(e);
		if (parseFloat(style.fontSize) < 10) wrong(e, style.fontSize, n.textContent);
		const ink = rgb(e.closest("svg") ? style.fill : style.color);
		let back = [0, 0, 0, 0];
		for (let p = e; p && back.length === 4 && back[3] === 0; p = p.parentElement) back = rgb(getComputedStyle(p).backgroundColor);
		if (back.length === 4 || ink.length === 4) wrong(e, "a colour that lets others through", ink, back);
		if (!(contrast(ink, back) >= 4.5)) wrong(e, `contrast ${contrast(ink, back)}`, n.textContent);
	}
	return { Plots: found.plots, Marks: found.marks, Texts: found.texts, Problems: problems };
})()
