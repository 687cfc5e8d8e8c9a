"""The looks of the page: one style sheet for light and dark, for screens and for paper."""

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #1c2024; --soft: #5d6670;
  --line: #d9dee3; --band: #f4f6f8; --good: #19703d; --good-ground: #e3f4e9; --bad: #a3340b;
  --bad-ground: #fdebe2; --accent: #0b5fa5; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --ink: #e4e7eb; --soft: #9aa4ae;
  --line: #343b42; --band: #1c2126; --good: #7fd6a0; --good-ground: #16301f; --bad: #ffab85;
  --bad-ground: #3a2013; --accent: #7cbcf5; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--ground);
  color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.35rem; margin: 3rem 0 .6rem; padding-bottom: .3rem;
  border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .4rem; }
p, li { max-width: 46rem; } a { color: var(--accent); }
nav a { margin-right: 1.1rem; white-space: nowrap; }
.soft { color: var(--soft); font-size: .9rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem;
  margin: 1.4rem 0; padding: 0; list-style: none; }
.facts li { background: var(--band); border-radius: .5rem; padding: .7rem .9rem; }
.facts b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .26rem .42rem; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
thead th { vertical-align: bottom; font-weight: 600; white-space: normal; background: var(--band); }
thead th.group { text-align: center; border-left: 2px solid var(--ground); }
th[scope=row] { text-align: left; font-weight: 500; position: sticky; left: 0;
  background: var(--ground); }
td.first { border-left: 2px solid var(--band); }
td.paper { color: var(--soft); } td.off { background: var(--bad-ground); color: var(--bad); }
td.best { font-weight: 700; }
td.text, th.text { text-align: left; white-space: normal; min-width: 9rem; }
td.narrow, th.narrow { min-width: 5rem; }
.verdict { display: inline-block; border-radius: 1rem; padding: .05rem .65rem; font-size: .82rem;
  font-weight: 600; white-space: nowrap; }
.holds { background: var(--good-ground); color: var(--good); }
.fails { background: var(--bad-ground); color: var(--bad); }
figure { margin: 1.2rem 0 2rem; } figure img { max-width: 100%; height: auto; display: block; }
figcaption { color: var(--soft); font-size: .9rem; max-width: 46rem; margin-top: .4rem; }
pre { background: var(--band); border-radius: .5rem; padding: .9rem; overflow-x: auto;
  font-size: .82rem; } .failure { color: var(--bad); }
@media print { body { max-width: none; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
"""
