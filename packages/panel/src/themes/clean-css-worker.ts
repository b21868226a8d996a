import { parentPort, workerData } from 'node:worker_threads'
import { ThemeError } from '@innkeeper/contract/theme/theme-error'
import { type CleanCss, cleanCss } from './clean-css.ts'

/** What the thread sanitizes. */
export interface CleanCssRequest {
  readonly css: string
  readonly assets: readonly string[]
}

/** What it answers: the CSS, or what is wrong with it. */
export type CleanCssAnswer = { readonly clean: CleanCss } | { readonly error: Pick<ThemeError, 'problem' | 'detail'> }

function getAnswer({ css, assets }: CleanCssRequest): CleanCssAnswer {
  try {
    return { clean: cleanCss(css, assets) }
  } catch (error) {
    if (!(error instanceof ThemeError)) throw error
    return { error: { problem: error.problem, detail: error.detail } }
  }
}

parentPort?.postMessage(getAnswer(workerData as CleanCssRequest))
