// The page is complete without this: it makes tooltips of titles, and shows one implementation among the others.
"use strict";
{
	const tip = document.getElementById("tip"), choice = document.getElementById("highlight");
	for (const t of document.querySelectorAll("svg.plot title")) {
		t.parentElement.dataset.tip = t.textContent;
		t.remove();
	}
	const show = (name) => {
		document.body.classList.toggle("highlit", name !== "");
		for (const e of document.querySelectorAll("[data-i].on")) e.classList.remove("on");
		if (name !== "") for (const e of document.querySelectorAll(`[data-i="${CSS.escape(name)}"]`)) e.classList.add("on");
	};
	choice.parentElement.hidden = false;
	choice.addEventListener("change", () => show(choice.value));
	let over = "";
	document.addEventListener("pointerover", (e) => {
		const i = e.target.closest?.("svg.plot [data-i]"), t = e.target.closest?.("[data-tip]");
		const name = i ? i.dataset.i : choice.value;
		if (name !== over) show(over = name);
		tip.hidden = !t;
		if (t) {
			tip.textContent = t.dataset.tip;
			const b = t.getBoundingClientRect(), w = tip.offsetWidth, h = tip.offsetHeight;
			tip.style.left = Math.max(4, Math.min(e.clientX - w / 2, innerWidth - w - 4)) + "px";
			tip.style.top = (e.clientY > h + 20 ? e.clientY - h - 12 : e.clientY + 18) + "px";
		}
	});
}
