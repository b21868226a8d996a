import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension, Text } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { Divider, Paper, SimpleGrid } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeTheme } from '../../ui/fields/codemirror-setup.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import classes from './compare.module.css'
import { getHighlighting, getLanguage } from './languages.ts'

interface CompareViewProps {
  readonly theirs: readonly string[]
  readonly mine: readonly string[]
  readonly name: string
  /** Names of the two versions; by default “On the server” and “Yours”. */
  readonly labels?: { readonly theirs: string; readonly mine: string }
}

/** A read-only diff of two versions: side by side, or unified on a phone. Long unchanged sections are collapsed. */
export function CompareView({ theirs, mine, name, labels }: CompareViewProps) {
  const t = useT()
  const isSideBySide = !useIsPhone()
  const { theirs: theirText, mine: myText } = labels ?? {
    theirs: t('common.OnServer'),
    mine: t('common.Yours'),
  }
  const container = useRef<HTMLDivElement>(null)
  const latest = useLatest({ theirs, mine, name, t, theirText, myText })

  useEffect(() => {
    let view: { destroy: () => void } | undefined
    let isMounted = true
    void (async () => {
      const { theirs, mine, name, t, theirText, myText } = latest.current
      const shared = [
        await loadReadOnlyExtensions(name),
        EditorState.phrases.of({ '$ unchanged lines': t('common.UnchangedLines') }),
      ]
      if (!isMounted || !container.current) return
      const side = (lines: readonly string[], label: string) => toReadOnly(lines, label, shared)
      const parent = container.current
      const collapseUnchanged = { margin: 3, minSize: 6 }
      view = isSideBySide
        ? new MergeView({ parent, a: side(theirs, theirText), b: side(mine, myText), collapseUnchanged })
        : new EditorView({
            parent,
            doc: Text.of([...mine]),
            extensions: [
              side(mine, myText).extensions,
              unifiedMergeView({ original: Text.of([...theirs]), mergeControls: false, collapseUnchanged }),
            ],
          })
    })()
    return () => {
      isMounted = false
      view?.destroy()
    }
  }, [isSideBySide, latest])

  return (
    <Paper radius="md" style={{ overflow: 'hidden' }}>
      {isSideBySide && (
        <>
          <SimpleGrid cols={2} spacing={0} px="md" py="xs" c="dimmed" fz="compact" bg="var(--ik-surface)">
            <span>{theirText}</span>
            <span>{myText}</span>
          </SimpleGrid>
          <Divider />
        </>
      )}
      <div ref={container} className={classes.compared} dir="ltr" />
    </Paper>
  )
}

/** A text that can only be read. */
export function ReadOnlyView({ lines, name, label }: { lines: readonly string[]; name: string; label: string }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let view: EditorView | undefined
    let isMounted = true
    void (async () => {
      const extensions = await loadReadOnlyExtensions(name)
      if (isMounted && container.current)
        view = new EditorView({ parent: container.current, ...toReadOnly(lines, label, extensions) })
    })()
    return () => {
      isMounted = false
      view?.destroy()
    }
  }, [lines, name, label])
  return (
    <Paper radius="md" style={{ overflow: 'hidden' }}>
      <div ref={container} className={classes.compared} dir="ltr" />
    </Paper>
  )
}

async function loadReadOnlyExtensions(name: string): Promise<Extension> {
  // It works without highlighting if loading fails.
  const description = getLanguage(name)
  const language = await description?.load().catch(() => undefined)
  return [
    codeTheme,
    lineNumbers(),
    EditorView.lineWrapping,
    EditorState.readOnly.of(true),
    description && language ? [language, getHighlighting(description)] : [],
  ]
}

function toReadOnly(lines: readonly string[], label: string, extensions: Extension) {
  return {
    doc: Text.of([...lines]),
    extensions: [extensions, EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })],
  }
}
