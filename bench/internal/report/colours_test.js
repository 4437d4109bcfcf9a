// What browser_test.js and images_test.js know about colours.
const rgb = (s) => s.match(/[\d.]+/g)?.map(Number) ?? [];
const luminance = (c) => {
	const [r, g, b] = c.map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
// contrast is that of the Web Content Accessibility Guidelines, which want 4.5 for text.
const contrast = (one, other) => {
	const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
	return (a + 0.05) / (b + 0.05);
};
