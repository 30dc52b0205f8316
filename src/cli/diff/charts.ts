/** Draws charts as SVG text. Drawing them needs no browser, and viewing them needs no script. */
import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

export interface Series {
  readonly name: string;
  /** One value per category; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

export interface BarsOptions extends ChartSize {
  readonly title: string;
  readonly categories: readonly string[];
  readonly series: readonly Series[];
  readonly unit: string;
  /**
   * If there are several series, their bars are drawn side by side. For many categories, a line chart is easier to
   * read.
   */
  readonly kind: 'bar' | 'line';
  readonly withLabels?: boolean;
}

const colors = ['#2f6f9f', '#d1772e'];
const ink = '#444';

/** Draws bars or lines over categories, from left to right. */
export function drawChart({ title, categories, series, unit, kind, withLabels = true, ...size }: BarsOptions): string {
  return render(size, {
    color: colors,
    title: { text: title, left: 0, top: 0, textStyle: { fontSize: 13, fontWeight: 'bold', color: ink } },
    legend: { show: series.length > 1, right: 0, top: 0, silent: true },
    grid: { left: 56, right: 12, top: 46, bottom: withLabels ? 36 : 16 },
    xAxis: {
      type: 'category',
      data: [...categories],
      silent: true,
      axisLabel: { show: withLabels, color: ink, hideOverlap: true },
      axisTick: { show: false },
    },
    yAxis: {
      type: 'value',
      name: unit,
      nameTextStyle: { color: ink },
      silent: true,
      axisLabel: { color: ink, formatter: shortCount },
    },
    series: series.map(({ name, values }) => ({
      type: kind,
      name,
      data: values.map((value) => value ?? '-'),
      silent: true,
      symbol: 'none',
      barMaxWidth: 48,
      ...(kind === 'line' ? { step: 'middle', areaStyle: { opacity: 0.15 } } : {}),
    })),
  });
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** `20K`, `1.5M`. */
function shortCount(value: number): string {
  return short.format(value);
}

function render(size: ChartSize, option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...size });
  try {
    chart.setOption({ animation: false, ...option });
    return chart.renderToSVGString();
  } finally {
    // A chart that is not disposed of keeps the process alive.
    chart.dispose();
  }
}
