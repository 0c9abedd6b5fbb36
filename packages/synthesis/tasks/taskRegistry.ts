/** Only the worker imports this list. It loads one task alone, which halves the start of most threads. */
import type { TaskName } from './task.ts';

export const TASKS = {
  boostClasses: async () => (await import('../models/shared/boosting.ts')).boostClasses,
  boostDensity: async () => (await import('../models/copula/chooseDensity.ts')).boostDensity,
  boostLabel: async () => (await import('../models/categorical/treesOrAssociation.ts')).boostLabel,
  boostMean: async () => (await import('../models/shared/boosting.ts')).boostMean,
  drawDensity: async () => (await import('../models/copula/columnDensity.ts')).drawDensity,
  drawNumbers: async () => (await import('../models/copula/leafRankVine.ts')).drawNumbers,
  fitVineEdge: async () => (await import('../models/copula/vineEdge.ts')).fitVineEdge,
  growTree: async () => (await import('../models/copula/columnTree.ts')).growTree,
  measureFigures: async () => (await import('../judge/fidelityAndUtility.ts')).measureFigures,
  weighLabel: async () => (await import('../models/categorical/drawLabels.ts')).weighLabel,
} satisfies { [Name in TaskName]: () => Promise<{ name: Name }> };
