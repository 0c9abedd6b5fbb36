/** Style for screens and print, light and dark. Loads nothing external. */

/** Chart colours in light and dark mode. */
const DARK_INK: readonly [light: string, dark: string][] = [
  ['#1b1b1b', '#e9edf1'],
  ['#888', '#8b96a1'],
  ['#e4e4e4', '#333d47'],
  ['#d9d9d9', '#333d47'],
  ['#bbb', '#5b6670'],
  ['#a9b4c2', '#4a5866'],
  ['#5c6a7a', '#9fb0c0'],
  ['#8a1c4a', '#ff8fbb'],
  ['#3f3f3f', '#aebac6'],
  ['#fff', '#14181d'],
];

const darkInk = DARK_INK.flatMap(([light, dark]) => [
  `svg [fill="${light}"] { fill: ${dark}; }`,
  `svg [stroke="${light}"] { stroke: ${dark}; }`,
]).join('\n');

/** Takes escaped footers: `sheetFoot` for the sheet to sign, `foot` elsewhere. */
export const styleOf = ({ foot, sheetFoot }: { foot: string; sheetFoot: string }): string => `
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #4d545b; --line: #d0d4d8; --ground: #fff; --tint: #f4f6f8; --good: #2f7d4f; --mixed: #9a6700; --poor: #a3262a; --real: #a9b4c2; --real-edge: #5c6a7a; --made: #8a1c4a; --more: #0b5cad; --less: #a65a00; --shade: #3f3f3f; }
* { box-sizing: border-box; }
body { max-width: 64rem; margin: 2rem auto; padding: 0 clamp(.75rem, 3vw, 1.5rem); font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; overflow-wrap: anywhere; }
p { margin: .35rem 0; max-width: 48rem; }
.lead { color: var(--soft); }
.overall { font-size: 1.15rem; font-weight: 600; border-left: .5rem solid var(--soft); padding: .5rem .9rem; margin: .75rem 0; background: var(--tint); }
.overall.good { border-color: var(--good); } .overall.mixed { border-color: var(--mixed); } .overall.poor { border-color: var(--poor); }
.banner { border: 2px solid var(--poor); padding: .5rem .9rem; margin: .75rem 0; }
.banner.shared { border-color: var(--good); }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .75rem; }
a { color: inherit; }
a:focus-visible, .scroll:focus-visible { outline: 3px solid var(--more); outline-offset: 2px; }
.grades { display: grid; gap: .75rem; margin-top: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 27rem), 1fr)); }
.grade { border: 1px solid var(--line); border-left: .5rem solid var(--soft); padding: .6rem .9rem; }
.grade.good { border-left-color: var(--good); }
.grade.mixed { border-left-color: var(--mixed); border-left-style: double; }
.grade.poor { border-left-color: var(--poor); border-left-style: dashed; }
.grade .word { font-weight: 700; text-transform: capitalize; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: 1.5rem 2rem; margin-top: 1rem; }
.column { min-width: 0; }
.column h3 { margin-top: 0; }
figure { margin: 1rem 0; }
.column figure { margin: .25rem 0 0; }
figcaption { font-size: .875rem; color: var(--soft); max-width: 48rem; }
svg { max-width: 100%; height: auto; }
.wide svg { max-width: none; }
.pair { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
svg.matrix { font: 10px system-ui, sans-serif; }
svg.matrix text { fill: var(--ink); }
svg.matrix .in { text-anchor: middle; }
svg .more { fill: var(--more); } svg .less { fill: var(--less); } svg .strength { fill: var(--shade); }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .875rem; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); font-weight: normal; }
thead th { font-weight: 600; vertical-align: bottom; }
tbody th { overflow-wrap: anywhere; min-width: 7rem; }
.scroll tbody th { overflow-wrap: break-word; }
td { font-variant-numeric: tabular-nums; }
table.numbers td { white-space: nowrap; }
table.facts th { width: 28%; min-width: 6rem; }
table.facts td { overflow-wrap: anywhere; }
table.prose { table-layout: fixed; min-width: 44rem; width: 100%; }
table.prose th:nth-child(1) { width: 28%; } table.prose th:nth-child(2) { width: 38%; } table.prose th:nth-child(3) { width: 15%; }
table.prose tbody th::first-line { font-weight: 600; }
code { font: .8125rem/1.4 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
blockquote { margin: .4rem 0; padding: .3rem .8rem; border-left: 3px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
.key, .grade, .overall, .banner, svg { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.key { display: inline-block; width: 1.4rem; height: .7rem; margin-right: .35rem; vertical-align: baseline; }
.key.real { background: var(--real); border: 1px solid var(--real-edge); }
.key.made { height: 0; border-top: 3px solid var(--made); margin-bottom: .25rem; }
.key.more { background: var(--more); opacity: .7; } .key.less { background: var(--less); opacity: .7; }
.keys span + span { margin-left: 1.2rem; }
ul.notes { padding-left: 1.1rem; font-size: .9rem; }
ul.notes li { max-width: 48rem; }
.sign { width: 100%; table-layout: fixed; }
.sign th { width: 30%; font-weight: 600; }
.sign td, .sign th { padding: .9rem .5rem .4rem 0; border-bottom: 1px solid var(--soft); }
.sign .tall { height: 8rem; }
@media screen and (prefers-color-scheme: dark) {
:root { --ink: #e9edf1; --soft: #aab4be; --line: #3a4550; --ground: #14181d; --tint: #1d242b; --good: #5fc48d; --mixed: #e6b450; --poor: #f08a84; --real: #4a5866; --real-edge: #9fb0c0; --made: #ff8fbb; --more: #74b7f5; --less: #efa65c; --shade: #aebac6; }
${darkInk}
}
@page { margin: 14mm 14mm 18mm; @bottom-left { content: "${foot}"; font: 8pt system-ui, sans-serif; color: #4d545b; } @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #4d545b; } }
@page sheet { @bottom-left { content: "${sheetFoot}"; } }
@media print {
:root { color-scheme: light; }
body { margin: 0; padding: 0; max-width: none; font-size: 10pt; line-height: 1.4; }
nav { display: none; }
h2, h3, .lead, .keys, thead { break-after: avoid; }
h2 { margin-top: 1.5rem; }
p, li, blockquote { orphans: 3; widows: 3; }
.lead { break-inside: avoid; }
figure, .column, .grade, .overall, .banner, tr { break-inside: avoid; }
figcaption { break-before: avoid; }
thead { display: table-header-group; }
.scroll { overflow: visible; }
.wide svg { max-width: 100%; max-height: 200mm; }
.columns { grid-template-columns: 1fr 1fr; gap: 1rem 1.5rem; }
.grades { grid-template-columns: 1fr 1fr; }
table { font-size: 8.5pt; }
.prose { font-size: 8pt; }
table.prose { min-width: 0; }
.numbers { font-size: 7.5pt; }
th, td { padding-right: .5rem; }
tbody th, .scroll tbody th { min-width: 0; overflow-wrap: anywhere; }
table.facts th { min-width: 32mm; }
#review { break-before: page; page: sheet; }
#review .sign { font-size: 10pt; }
}
`;

export const cssText = (text: string): string =>
  [...text].map((c) => (/[A-Za-z0-9 .,:_-]/.test(c) ? c : `\\${c.codePointAt(0)?.toString(16)} `)).join('');
