import { limits } from '@innkeeper/contract/text/limits'
import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import type { CodeStatus } from './code-view.tsx'
import classes from './file-editor.module.css'
import { detectIndentation, encodeText } from './text-file.ts'
import type { LoadedFile } from './use-file.ts'

/** Encoding a long text on every key stroke would make typing slow. */
const sizeDebounceMs = 400

interface StatusBarProps {
  readonly name: string
  readonly file: LoadedFile
  readonly status: CodeStatus
  /** The lines in the editor; `undefined` until it has loaded. */
  readonly getLines: () => readonly string[] | undefined
  /** Whether to explain how the Tab key leaves the code. */
  readonly isHintShown: boolean
}

/** Language, encoding, line endings, indentation, size and cursor position. */
export function StatusBar({ name, file, status, getLines, isHintShown }: StatusBarProps) {
  const t = useT()
  const { fileSize } = useFormatters()
  const language = useLanguageName(name)
  const { type, width } = detectIndentation(file.lines)
  const size = useTextSize(file, status, getLines)
  return (
    <Group component="footer" className={classes.status} gap="xs" mih={30} c="dimmed" fz="xs">
      <span>{language ?? t('file-editor.PlainText')}</span>
      <span>{t(`file-editor.Encoding_${file.encoding}`)}</span>
      <span>{t(`file-editor.LineEnding_${file.lineEnding}`)}</span>
      <span>{type === 'tabs' ? t('file-editor.Tabs') : t('file-editor.Spaces', { count: width })}</span>
      <Text span inherit c={size > limits.editableFileBytes ? 'var(--ik-offline)' : undefined}>
        {t('file-editor.SizeOf', { size: fileSize(size, { decimals: 2 }), max: fileSize(limits.editableFileBytes) })}
      </Text>
      <Text span inherit flex={1} c="var(--ik-subtle)" visibleFrom="sm">
        {isHintShown && t('file-editor.TabHint')}
      </Text>
      <Text span inherit ms="auto">
        {t('file-editor.Position', { line: String(status.line), column: String(status.column) })}
      </Text>
    </Group>
  )
}

/** The name of the file's language. Its list is large, so it is loaded with the code view. */
function useLanguageName(name: string): string | undefined {
  const { data } = useQuery({
    queryKey: ['language-name', name],
    queryFn: async () => (await import('../compare/languages.ts')).getLanguage(name)?.name ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data ?? undefined
}

/** The size of the text as it would be saved, in bytes. */
function useTextSize(file: LoadedFile, status: CodeStatus, getLines: () => readonly string[] | undefined): number {
  const [size, setSize] = useState(file.size)
  const measure = useEffectEvent(() => {
    const lines = getLines()
    setSize((lines && encodeText({ ...file, lines })?.length) ?? file.size)
  })
  // Every change of the text creates a new status.
  useEffect(() => {
    if (!status.isModified) return setSize(file.size)
    const timer = window.setTimeout(() => measure(), sizeDebounceMs)
    return () => window.clearTimeout(timer)
  }, [status, file])
  return size
}
