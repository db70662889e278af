import fs from "node:fs"; const st=()=>{const s=fs.readFileSync("/proc/self/status","utf8"); return [/VmHWM:\s+(\d+)/,/VmRSS:\s+(\d+)/].map(r=>(+r.exec(s)[1]/1024))};
let [h0,r0]=st(); console.log("base",h0.toFixed(0),r0.toFixed(0));
const imp=async(n)=>{ const t=performance.now(); await import(n); const [h,r]=st(); console.log(n.replace(/.*(dist|node_modules)\//,"").padEnd(40),`hwm ${h.toFixed(1)} rss ${r.toFixed(1)} (+${(r-r0).toFixed(1)}, hwm +${(h-h0).toFixed(1)}) heap ${(process.memoryUsage().heapTotal/1e6).toFixed(0)} ms ${(performance.now()-t).toFixed(0)}`); h0=h;r0=r; };
const R="/tmp/wt/perf8/node_modules/",D="/tmp/wt/perf8/dist/";
for(const n of process.argv.slice(2)) await imp(n.startsWith("node:")?n:n.startsWith("D/")?D+n.slice(2):import.meta.resolve?n:R+n);
