#pragma once
// The style sheet of saved pages. Readers with colour vision deficiency can tell the colours of
// series apart, and no meaning rests on colour alone: every verdict is also a word.

namespace ebb::report {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--bg:#fcfcfb;--card:#fff;--ink:#16181c;--soft:#5b616b;--rule:#e3e5e8;
--curve:#7a8290;--area:#eef0f3;--better:#0f7b53;--worse:#b3372a;--unclear:#6b7280;
--c0:#2a6fd0;--c1:#d9622b;--c2:#1a9a72;--c3:#7a4fc4;--c4:#b98300;--c5:#c93a83;--c6:#557a1e;--c7:#4b5563}
@media (prefers-color-scheme:dark){:root{--bg:#14161a;--card:#1b1e23;--ink:#e9ebee;--soft:#a2a9b4;
--rule:#31363e;--curve:#949dab;--area:#23272e;--better:#4cc596;--worse:#f08a7c;--unclear:#a2a9b4;
--c0:#6aa5f5;--c1:#f0905f;--c2:#4cc9a0;--c3:#b094f0;--c4:#e0b040;--c5:#ee7fb3;--c6:#9cc45c;--c7:#b0b8c4}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 20px 60px}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 6px;letter-spacing:-.01em}
h2{font-size:1.15rem;margin:38px 0 10px}
h3{font-size:1rem;margin:22px 0 8px}
p{margin:0 0 10px;max-width:78ch}
.lead{font-size:1.12rem}
.soft,figcaption{color:var(--soft)}
.notice{border-left:4px solid var(--c4);background:var(--card);padding:10px 14px;margin:16px 0;
border-radius:0 6px 6px 0}
.notice p:last-child{margin:0}
.card{background:var(--card);border:1px solid var(--rule);border-radius:10px;padding:14px 16px}
.scroll{overflow-x:auto}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,420px),1fr));gap:16px}
figure{margin:0}figure+figure{margin-top:14px}
figcaption{font-size:.9rem;margin-bottom:6px}
figcaption b{color:var(--ink);font-weight:600}
svg{display:block;width:100%;height:auto}
svg.wide{min-width:820px}
svg.mark{width:220px;height:auto}
svg text{font-size:12px;fill:var(--soft);font-family:inherit}
svg text.label{fill:var(--ink);font-size:13px}
.grid{stroke:var(--rule)}
.axis{stroke:var(--soft)}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}
.c4{--c:var(--c4)}.c5{--c:var(--c5)}.c6{--c:var(--c6)}.c7{--c:var(--c7)}
.better{--c:var(--better)}.worse{--c:var(--worse)}.unclear{--c:var(--unclear)}
.line{fill:none;stroke:var(--c);stroke-width:2.2;stroke-linejoin:round}
.dot{fill:var(--c);stroke:var(--card);stroke-width:1.5}
.pale{fill:var(--c);opacity:.35}
.bar{fill:var(--c)}
.ring{fill:var(--card);stroke:var(--c);stroke-width:2}
.hollow{fill:none;stroke:var(--ink);stroke-width:1.8}
.waiting{stroke:var(--c);stroke-width:1.6;stroke-dasharray:2 4}
.interval{stroke:var(--c);stroke-width:2.2}
.zero{stroke:var(--soft);stroke-dasharray:2 3}
.curve{stroke:var(--curve);stroke-width:1.8}
.dashed{stroke-dasharray:4 3}
.area{fill:var(--area)}
.forecast{fill:none;stroke:var(--c1);stroke-width:1.6;stroke-dasharray:5 3}
svg text.onbar{fill:#fff;font-size:11px}
@media (prefers-color-scheme:dark){svg text.onbar{fill:#14161a}}
.hit{fill:transparent}
.threshold{stroke:var(--worse);stroke-dasharray:6 4}
.legend{display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 8px;padding:0;list-style:none;font-size:.92rem}
.legend i{display:inline-block;width:12px;height:12px;border-radius:3px;background:var(--c);
margin-right:6px;vertical-align:-1px}
table{border-collapse:collapse;width:100%;font-size:.93rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:7px 12px 7px 0;border-bottom:1px solid var(--rule);vertical-align:middle;
white-space:nowrap}
th{font-weight:600}
thead th{color:var(--soft);font-weight:500;font-size:.86rem}
tbody tr:last-child>*{border-bottom:0}
td.number,th.number{text-align:right}
td b{color:var(--c);font-weight:600}td small{display:block;color:var(--soft);font-size:.86rem}
td.wrap{white-space:normal;min-width:24em}
tbody th{white-space:normal;min-width:7.5em}
details{margin:12px 0}details>.card{margin-top:8px}
summary{cursor:pointer;color:var(--soft)}
ul{padding-left:1.2em;margin:0}
@media (max-width:640px){main{padding:18px 12px 40px}h1{font-size:1.4rem}.card{padding:12px 10px}}
@media print{.card{break-inside:avoid}}
)css";

}  // namespace ebb::report
