import { limits } from '@innkeeper/contract/limits'
import { useEffect, useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import type { CodeStatus } from './code-view.tsx'
import classes from './file-editor.module.css'
import { bytesOf, indentationOf } from './text-file.ts'
import type { ReadFile } from './use-file.ts'

/** Counting bytes of a long text on every key would be felt. */
const restMs = 400

interface StatusBarProps {
  readonly name: string
  readonly file: ReadFile
  readonly status: CodeStatus
  /** The lines in view; `undefined` until they are. */
  readonly lines: () => readonly string[] | undefined
  /** How to get out of the code by keyboard, while one is in it. */
  readonly isHintShown: boolean
}

/** What the file is, how large, and where one is in it. */
export function StatusBar({ name, file, status, lines, isHintShown }: StatusBarProps) {
  const t = useT()
  const { bytes, size: sizeText } = useFormatters()
  const language = useLanguageName(name)
  const { kind, width } = indentationOf(file.lines)
  const size = useSize(file, status, lines)
  return (
    <footer className={classes.status}>
      <span>{language ?? t('file-editor.PlainText')}</span>
      <span>{t(`file-editor.Encoding_${file.encoding}`)}</span>
      <span>{t(`file-editor.LineEnding_${file.lineEnding}`)}</span>
      <span>{kind === 'tabs' ? t('file-editor.Tabs') : t('file-editor.Spaces', { count: width })}</span>
      <span data-over={size > limits.editableFileBytes || undefined}>
        {t('file-editor.SizeOf', { size: sizeText(size), max: bytes(limits.editableFileBytes) })}
      </span>
      <span className={classes.hint}>{isHintShown && t('file-editor.TabHint')}</span>
      <span className={classes.position}>
        {t('file-editor.Position', { line: status.line, column: status.column })}
      </span>
    </footer>
  )
}

function useLanguageName(name: string): string | undefined {
  const [language, setLanguage] = useState<string>()
  useEffect(() => {
    let isHere = true
    // Comes with the code view, which cannot be seen without it.
    void import('./languages.ts').then(
      ({ languageOf }) => isHere && setLanguage(languageOf(name)?.name),
      () => undefined,
    )
    return () => {
      isHere = false
    }
  }, [name])
  return language
}

/** The size it would have on the server. */
function useSize(file: ReadFile, status: CodeStatus, lines: () => readonly string[] | undefined): number {
  const [size, setSize] = useState(file.size)
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the text makes a new status
  useEffect(() => {
    if (!status.isModified) return setSize(file.size)
    const timer = window.setTimeout(() => {
      const inView = lines()
      setSize((inView && bytesOf({ ...file, lines: inView })?.length) ?? file.size)
    }, restMs)
    return () => window.clearTimeout(timer)
  }, [status, file])
  return size
}
