/** The page's style: for a screen and for paper, with no font, picture or script from anywhere. */
export const STYLE = `
:root { color-scheme: light; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1.25rem; font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; background: #fff; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; padding-bottom: .2rem; border-bottom: 1px solid #ccc; }
h3 { font-size: 1rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
p { margin: .35rem 0; }
.lead { color: #444; }
nav a { margin-right: .9rem; color: #1b1b1b; }
.grades { display: grid; gap: .75rem; margin-top: 1rem; }
.grade { border: 1px solid #bbb; border-left-width: .5rem; padding: .6rem .9rem; break-inside: avoid; }
.grade.good { border-left-color: #2f7d4f; }
.grade.mixed { border-left-color: #c98a00; border-left-style: double; }
.grade.poor { border-left-color: #a3162e; border-left-style: dashed; }
.grade .word { font-weight: 700; text-transform: uppercase; font-size: .8rem; letter-spacing: .04em; }
.columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(24rem, 1fr)); gap: 1rem 1.5rem; }
.column { break-inside: avoid; border-top: 1px solid #ddd; padding-top: .5rem; min-width: 0; }
figure { margin: .5rem 0 1rem; break-inside: avoid; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; display: block; }
figcaption { font-size: .85rem; color: #444; }
table { border-collapse: collapse; font-size: .85rem; margin: .5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ddd; font-weight: normal; overflow-wrap: anywhere; }
thead th { font-weight: 600; }
td { font-variant-numeric: tabular-nums; }
.wide { width: 100%; font-size: .8rem; }
.wide td:nth-child(3), .wide td:last-child { white-space: nowrap; }
blockquote { margin: .4rem 0; padding: .3rem .8rem; border-left: 3px solid #bbb; white-space: pre-wrap; overflow-wrap: anywhere; }
.key, .grade { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.key { display: inline-block; width: 1.4rem; height: .7rem; margin-right: .35rem; vertical-align: baseline; }
.key.real { background: #a9b4c2; border: 1px solid #5c6a7a; }
.key.made { height: 0; border-top: 3px solid #8a1c4a; margin-bottom: .25rem; }
ul.notes { padding-left: 1.1rem; font-size: .9rem; }
@page { margin: 14mm; }
@media print { body { margin: 0; max-width: none; font-size: 10.5pt; } nav { display: none; } h2 { break-after: avoid; } .columns { grid-template-columns: 1fr 1fr; } }
`;
