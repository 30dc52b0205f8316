import { defineConfig } from 'vite';
import { site } from './build/plugin.ts';
import { fileURLToPath } from 'node:url';

/** The pages use the package as its users do, through its public entry points. */
const doors = ['analysis', 'numbers', 'device', 'debug', 'tensors'];
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const dist = (name: string): string => path(`../../dist/${name}.js`);

export default defineConfig({
  root: path('.'),
  base: './',
  resolve: {
    alias: [
      ...doors.map((name) => ({ find: `ptxlab/${name}`, replacement: dist(name) })),
      { find: 'ptxlab', replacement: dist('index') },
    ],
  },
  plugins: [site()],
  worker: { format: 'es' },
  build: {
    rolldownOptions: {
      input: {
        home: path('index.html'),
        kernel: path('kernel/index.html'),
        matrix: path('matrix/index.html'),
        tensors: path('tensors/index.html'),
        page: path('src/shell/page.ts'),
        embed: path('src/embed.ts'),
      },
      // Other sites load embed.js by its name, so this name must not contain a hash.
      output: { entryFileNames: ({ name }) => (name === 'embed' ? '[name].js' : 'assets/[name]-[hash].js') },
    },
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
});
