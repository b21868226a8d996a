import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'

const frame = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--ik-console)', color: 'var(--ik-console-text)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--ik-mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--ik-link)' },
  '.cm-gutters': { backgroundColor: 'var(--ik-console)', color: 'var(--ik-console-dim)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--ik-hover) 60%, transparent)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--ik-link)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--ik-primary-soft) !important',
  },
  '.cm-selectionMatch, .cm-searchMatch': { backgroundColor: 'var(--ik-match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--ik-accent)', color: 'var(--ik-on-accent)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--ik-hover)',
    outline: '1px solid var(--ik-border-strong)',
  },
  '&.cm-focused .cm-nonmatchingBracket': { backgroundColor: 'var(--ik-offline-soft)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--ik-hover)', border: 'none', color: 'var(--ik-dim)' },
  '.cm-specialChar': { color: 'var(--ik-offline)' },
  '.cm-panels': { backgroundColor: 'var(--ik-raised)', color: 'var(--ik-text)', fontFamily: 'var(--ik-font)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--ik-border)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--ik-border)' },
  '.cm-panel.cm-search': { padding: '8px 40px 8px 16px' },
  '.cm-panel.cm-search label': { fontSize: 'var(--mantine-font-size-compact)' },
  '.cm-textfield': {
    padding: '4px 8px',
    border: '1px solid var(--ik-field-border)',
    borderRadius: 'var(--ik-radius-item)',
    backgroundColor: 'var(--ik-field)',
    color: 'var(--ik-text)',
    fontSize: 'var(--mantine-font-size-compact)',
  },
  '.cm-button': {
    padding: '4px 10px',
    border: '1px solid var(--ik-border)',
    borderRadius: 'var(--ik-radius-item)',
    background: 'var(--ik-surface)',
    color: 'var(--ik-text)',
    fontSize: 'var(--mantine-font-size-compact)',
  },
  '.cm-panel.cm-search [name=close]': { insetInlineEnd: '8px', color: 'var(--ik-dim)', fontSize: '20px' },
  '.cm-tooltip': {
    border: '1px solid var(--ik-border)',
    borderRadius: 'var(--ik-radius-item)',
    backgroundColor: 'var(--ik-raised)',
    color: 'var(--ik-text)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--ik-primary-soft)',
    color: 'var(--ik-text)',
  },
})

/** The console's colors: they are readable on its background in both schemes. */
const colors = HighlightStyle.define([
  { tag: [tags.comment, tags.meta, tags.processingInstruction], color: 'var(--ik-console-dim)' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], color: 'var(--ik-ansi-blue)' },
  { tag: [tags.tagName, tags.heading, tags.labelName], color: 'var(--ik-ansi-blue)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--ik-ansi-blue)' },
  { tag: [tags.string, tags.special(tags.string), tags.inserted], color: 'var(--ik-ansi-green)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit, tags.color], color: 'var(--ik-ansi-magenta)' },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--ik-ansi-magenta)' },
  { tag: [tags.typeName, tags.className, tags.namespace], color: 'var(--ik-ansi-cyan)' },
  { tag: [tags.regexp, tags.escape, tags.character], color: 'var(--ik-ansi-yellow)' },
  { tag: [tags.link, tags.url], color: 'var(--ik-ansi-cyan)', textDecoration: 'underline' },
  { tag: [tags.deleted, tags.invalid], color: 'var(--ik-ansi-red)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
])

/** How code looks in every editor of the product: type, colors and panels from the tokens. Imports CodeMirror. */
export const codeTheme: Extension = [frame, syntaxHighlighting(colors)]

/** What every code editor of the product can do: lines, history, folding, brackets, several selections and search. */
export const editingExtensions: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  foldGutter(),
  drawSelection(),
  dropCursor(),
  EditorState.allowMultipleSelections.of(true),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap]),
]
