import type { Plugin } from "chart.js";
import { chartFont, type Drawing } from "../chart.ts";
import { type Messages, type Outcome, outcomes } from "../messages/messages.ts";
import type { ReportModel } from "../model.ts";
import type { ArmCell, ArmsView } from "../tables.ts";
import { visibleText } from "../terminal-text.ts";
import { shortened } from "./matrix-drawing.ts";
import { ink, line, muted, outcomeColours } from "./palette.ts";

/** One bar: an arm of a target in one transport mode. */
interface Bar {
  readonly group: string;
  readonly label: string;
  readonly counts: ReadonlyMap<Outcome, number>;
  readonly of: number;
}

const labelWidth = 446;
const nameWidth = 220;
const barHeight = 26;
const headHeight = 74;
const legendHeight = 54;
/** More bars than this would make a picture that nobody can open; the page has them all. */
const mostBars = 60;

/** What became of the calls, one stacked bar an arm and mode, in shares of the samples measured. */
export function outcomesDrawing(model: ReportModel, messages: Messages): Drawing {
  const bars = barsOf(model, messages).slice(0, mostBars);
  const seen = outcomes.filter((outcome) => bars.some(({ counts }) => counts.has(outcome)));
  const shareOf = ({ counts, of }: Bar, outcome: Outcome) => (of === 0 ? 0 : (100 * (counts.get(outcome) ?? 0)) / of);
  return {
    width: 1086,
    height: headHeight + legendHeight + Math.max(1, bars.length) * barHeight + 36,
    configuration: {
      type: "bar",
      data: {
        labels: bars.map(({ label }) => label),
        datasets: seen.map((outcome) => ({
          label: messages.outcomes[outcome],
          data: bars.map((bar) => shareOf(bar, outcome)),
          backgroundColor: outcomeColours[outcome],
          barPercentage: 0.72,
          categoryPercentage: 1,
        })),
      },
      options: {
        indexAxis: "y",
        layout: { padding: { top: headHeight, bottom: 8, right: 28, left: 4 } },
        font: { family: chartFont },
        plugins: {
          legend: {
            position: "bottom",
            align: "start",
            labels: { color: ink, font: { family: chartFont, size: 13 }, boxWidth: 14, boxHeight: 12, padding: 14 },
          },
          tooltip: { enabled: false },
        },
        scales: {
          x: {
            stacked: true,
            min: 0,
            max: 100,
            grid: { color: "#eceeea" },
            border: { display: false },
            ticks: {
              color: muted,
              font: { family: chartFont, size: 11 },
              stepSize: 25,
              callback: (value) => `${value} %`,
            },
          },
          y: {
            stacked: true,
            grid: { display: false },
            border: { display: false },
            ticks: { display: false },
            afterFit: (scale) => {
              scale.width = labelWidth;
            },
          },
        },
      },
      plugins: [texts(model, bars, seen, messages)],
    },
  };
}

function barsOf(model: ReportModel, messages: Messages): readonly Bar[] {
  const { words } = messages;
  return model.targets.flatMap((target) =>
    target.unmet !== null
      ? []
      : target.tables
          .filter((table): table is ArmsView => table.kind === "arms")
          .flatMap((view) =>
            view.rows.flatMap((row) => {
              const bar = (arm: ArmCell | null, mode: string): readonly Bar[] => {
                if (arm === null || arm.outcomes.size === 0) return [];
                const of = [...arm.outcomes.values()].reduce((sum, count) => sum + count, 0);
                const name = row.irrelevant ? `${row.arm}, ${messages.classes.irrelevant}` : row.arm;
                const place = [
                  ...(view.suite === "parser-mismatch" ? [] : [view.suite]),
                  ...(view.route === "direct" ? [] : [view.route]),
                  ...(view.shape === "small" ? [] : [messages.shapes[view.shape]]),
                ];
                return [
                  {
                    group: visibleText(target.name),
                    label: visibleText([...place, name, mode].join(" · ")),
                    counts: arm.outcomes,
                    of,
                  },
                ];
              };
              return [...bar(row.whole, words.whole), ...bar(row.streamed, words.streamed)];
            }),
          ),
  );
}

/** Labels on the left, the target's name where it begins, and counts in the stretches that have room for them. */
function texts(model: ReportModel, bars: readonly Bar[], seen: readonly Outcome[], messages: Messages): Plugin {
  return {
    id: "outcome-texts",
    afterDraw(chart) {
      const { ctx, chartArea, scales } = chart;
      const y = scales["y"];
      if (y === undefined) return;
      const cutTo = (text: string, width: number) => shortened(text, width, (part) => ctx.measureText(part).width);
      ctx.save();
      ctx.textAlign = "left";
      ctx.textBaseline = "alphabetic";
      ctx.fillStyle = ink;
      ctx.font = `bold 20px "${chartFont}"`;
      ctx.fillText(messages.words.armsTitle, 16, 34);
      ctx.font = `12px "${chartFont}"`;
      ctx.fillStyle = muted;
      ctx.fillText(cutTo(visibleText(model.record.run), 900), 16, 56);
      for (const [index, bar] of bars.entries()) {
        const middle = y.getPixelForValue(index);
        if (bars[index - 1]?.group !== bar.group) {
          if (index > 0) {
            ctx.fillStyle = line;
            ctx.fillRect(16, middle - barHeight / 2, chartArea.right - 16, 1);
          }
          ctx.font = `bold 13px "${chartFont}"`;
          ctx.fillStyle = ink;
          ctx.fillText(cutTo(bar.group, nameWidth - 14), 16, middle + 5);
        }
        ctx.font = `13px "${chartFont}"`;
        ctx.fillStyle = muted;
        ctx.fillText(cutTo(bar.label, labelWidth - nameWidth - 28), nameWidth + 16, middle + 5);
      }
      ctx.textAlign = "center";
      ctx.font = `bold 12px "${chartFont}"`;
      for (const [set, outcome] of seen.entries()) {
        for (const [index, element] of chart.getDatasetMeta(set).data.entries()) {
          const count = bars[index]?.counts.get(outcome) ?? 0;
          const {
            x,
            base,
            y: middle,
          } = element.getProps(["x", "base", "y"], true) as {
            readonly x: number;
            readonly base: number;
            readonly y: number;
          };
          if (count === 0 || x - base < 18) continue;
          ctx.fillStyle = outcome === "no_call" || outcome === "leaked" ? ink : "#ffffff";
          ctx.fillText(String(count), (x + base) / 2, middle + 4);
        }
      }
      if (bars.length === 0) {
        ctx.textAlign = "left";
        ctx.fillStyle = muted;
        ctx.fillText(messages.words.notAsked, 16, chartArea.top + 20);
      }
      ctx.restore();
    },
  };
}
