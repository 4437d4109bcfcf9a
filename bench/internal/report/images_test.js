// Looks at an image that is the document. Its value is what it has seen, and what is wrong.
(() => {
	const svg = document.documentElement, problems = [], box = (e) => e.getBoundingClientRect();
	if (svg.tagName !== "svg") return { Marks: 0, Texts: 0, Width: 0, Problems: ["it is no image: " + svg.textContent] };
	const outer = box(svg), view = svg.viewBox.baseVal;
	if (view.width !== outer.width || view.height !== outer.height) problems.push(`it is ${outer.width} by ${outer.height} pixels, and its view ${view.width} by ${view.height}`);
	const named = (svg.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent.trim());
	if (svg.getAttribute("role") !== "img" || named.length !== 2 || named.some((s) => !s)) problems.push("it has no role, title and description");
	for (const e of svg.querySelectorAll("*")) {
		for (const a of e.attributes) if (/NaN|Infinity|%!|undefined/.test(a.value)) problems.push(`${e.tagName}: ${a.name}=${a.value}`);
		if (["script", "image", "use", "foreignObject", "a"].includes(e.tagName)) problems.push(`it has an element ${e.tagName}, which images in pages may not have`);
	}
	const marks = [...svg.querySelectorAll("rect, path, line, circle, ellipse, polygon, polyline")].filter((e) => !e.closest("defs"));
	for (const e of marks) {
		const b = box(e), by = parseFloat(getComputedStyle(e).strokeWidth) || 1;
		if (b.left < outer.left - by || b.top < outer.top - by || b.right > outer.right + by || b.bottom > outer.bottom + by) problems.push("it is not inside of the image: " + e.outerHTML);
	}
	// What is painted under a point, as a colour, without texts.
	const under = (x, y) => {
		for (const e of document.elementsFromPoint(x, y)) {
			if (e.closest("text") || !marks.includes(e)) continue;
			const style = getComputedStyle(e);
			if (style.fill === "none" || e.tagName === "line") continue;
			if (parseFloat(style.opacity) < 1 || parseFloat(style.fillOpacity) < 1 || rgb(style.fill).length !== 3) return null;
			return rgb(style.fill);
		}
		return null;
	};
	const texts = [...svg.querySelectorAll("text")].map((e) => [e, box(e)]);
	texts.forEach(([e, b], i) => {
		const style = getComputedStyle(e), what = JSON.stringify(e.textContent);
		if (!e.textContent.trim() || !(b.width > 0)) problems.push("a text is empty: " + e.outerHTML);
		// Other fonts are up to a tenth wider.
		const by = b.width * { start: 0.1, middle: 0.05, end: 0.1 }[style.textAnchor];
		if (b.left - (style.textAnchor === "start" ? 0 : by) < outer.left || b.right + (style.textAnchor === "end" ? 0 : by) > outer.right || b.top < outer.top || b.bottom > outer.bottom)
			problems.push(`${what} is outside of the image, or would be in a wider font`);
		if (parseFloat(style.fontSize) < 11) problems.push(`${what} is small: ${style.fontSize}`);
		if (!/system-ui/.test(style.fontFamily)) problems.push(`${what} is in the font ${style.fontFamily}`);
		for (const x of [b.left + 1, (b.left + b.right) / 2, b.right - 1]) {
			const back = under(x, (b.top + b.bottom) / 2);
			if (!back) problems.push(`${what} has no opaque background at ${x}`);
			else if (!(contrast(rgb(style.fill), back) >= 4.5)) problems.push(`${what} has a contrast of ${contrast(rgb(style.fill), back)}`);
		}
		for (const [f, c] of texts.slice(i + 1))
			if (b.left < c.right - 1 && c.left < b.right - 1 && b.top < c.bottom - 2 && c.top < b.bottom - 2) problems.push(`${what} and ${JSON.stringify(f.textContent)} overlap`);
		// A text in a box stays in it.
		for (const m of marks.filter((m) => m.matches("rect"))) {
			const r = box(m), mx = (b.left + b.right) / 2, my = (b.top + b.bottom) / 2;
			if (mx > r.left && mx < r.right && my > r.top && my < r.bottom && (b.left < r.left + 1 || b.right > r.right - 1)) problems.push(`${what} is wider than its box`);
		}
	});
	return { Marks: marks.length, Texts: texts.length, Width: outer.width, Problems: problems.slice(0, 20) };
})()
