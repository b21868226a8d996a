import { expect, test } from 'vitest'
import { getSource, isForTests, type Source, sources } from './sources.ts'

/** Forms without the hooks of `packages/web/src/forms`, with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'packages/web/src/features/console/history-panel.tsx': 'searches',
  'packages/web/src/features/console/saved-commands.tsx': 'adds to a list of the browser, which cannot fail',
  'packages/web/src/screens/servers/bulk/bulk-form.tsx': 'shows the result of each server',
  'packages/web/src/screens/servers/saved-filters/saved-filters.tsx': 'saves a preference, which cannot fail',
  'packages/web/src/ui/overlays/confirm-dialog.tsx': 'asks a question',
  'packages/web/src/ui/fields/otp-form.tsx': 'has a code, which is sent when it is complete',
  'packages/web/src/ui/fields/password-dialog.tsx': 'asks for the password, and has nothing to keep',
}

/** Forms without `SaveForm` or `SubmitDialog`, which belong to the form hooks. */
function formsWithoutHook(source: Source): string[] {
  const found: string[] = []
  source.visit({
    JSXOpeningElement({ name, attributes, start }) {
      const isForm =
        (name.type === 'JSXIdentifier' && name.name === 'form') ||
        attributes.some((one) => source.text.slice(one.start, one.end) === 'component="form"')
      if (isForm) found.push(`${source.at(start)} has a form: use SaveForm or SubmitDialog`)
    },
  })
  return found
}

/** What only the save hooks do: the shortcut, the leave guard, the stored draft, and newer versions than the read one. */
function savesByHand(source: Source): string[] {
  const found: string[] = []
  source.visit({
    CallExpression({ callee, arguments: args, start }) {
      const name = callee.type === 'Identifier' ? callee.name : ''
      const has = (text: string) => args.some((one) => one.type === 'Literal' && one.value === text)
      const isByHand =
        ['useUnsavedChanges', 'useStoredDraft', 'useFormDraft'].includes(name) ||
        (name === 'useShortcut' && has('mod+s')) ||
        (name === 'isRefusal' && has('ErrStaleVersion'))
      if (isByHand) found.push(`${source.at(start)} saves by hand: use useSaveForm, useSaveDocument or useSubmitForm`)
    },
  })
  return found
}

const screens = sources('packages/web/src/**/*.{ts,tsx}').filter(
  ({ path }) => !isForTests(path) && !path.startsWith('packages/web/src/forms/'),
)

test('forms use the hooks of forms/', () => {
  const found = screens.filter(({ path }) => !(path in exceptions)).flatMap(formsWithoutHook)

  expect(found).toEqual([])
})

test('values are saved by the hooks of forms/', () => {
  expect(screens.flatMap(savesByHand)).toEqual([])
})

test('each exception still has a form without a hook', () => {
  const needed = screens.filter((source) => formsWithoutHook(source).length > 0).map(({ path }) => path)

  expect(Object.keys(exceptions).filter((path) => !needed.includes(path))).toEqual([])
})

test.each([
  'const a = <form onSubmit={submit} />',
  'const a = <form noValidate onSubmit={form.onSubmit} />',
  'const a = <Group component="form" onSubmit={submit} />',
])('the check finds %s', (text) => {
  expect(formsWithoutHook(getSource('a.tsx', text))).toHaveLength(1)
})

test('the check allows a form of the hooks', () => {
  expect(formsWithoutHook(getSource('a.tsx', 'const a = <SaveForm form={form} />'))).toEqual([])
})

test.each([
  "useShortcut('mod+s', () => void save())",
  'useUnsavedChanges({ isDirty: () => isDirty })',
  'const stored = useStoredDraft({ id, draft, current })',
  "if (isRefusal(error, 'ErrStaleVersion')) setConflict(true)",
])('the check of saving finds %s', (text) => {
  expect(savesByHand(getSource('a.tsx', text))).toHaveLength(1)
})

test.each(["useShortcut('mod+Enter', goOn)", "const isGone = isRefusal(error, 'ErrNotFound')"])(
  'the check of saving allows %s',
  (text) => {
    expect(savesByHand(getSource('a.tsx', text))).toEqual([])
  },
)
