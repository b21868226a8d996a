import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useEffectEvent,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import { tinykeys } from 'tinykeys'
import { usePreference } from '../session/preferences.tsx'
import { matchSequence, normalizeKey, shouldIgnoreKey } from './sequences.ts'

/** Something a person can do here and now. It stands in the palette; with `keys` also in the sequence hint and sheet. */
export interface Hotkey {
  /** `g s`, one typed character per press. */
  readonly keys?: string
  /** In the person's language, as palette, hint and sheet show it. */
  readonly label: string
  readonly run: () => void
  /** Absent from hint, sheet and palette unless true. */
  readonly enabled?: boolean
  /** Its keys also begin longer sequences: it runs when no further key follows soon. Without this it runs at once. */
  readonly waitsForNextKey?: boolean
  /** The heading it stands under. */
  readonly group: string
  readonly icon?: ReactNode
  /** Shown in red: loses data. */
  readonly danger?: boolean
  /** Makes sense from the keyboard only: not in the palette. */
  readonly hiddenInPalette?: boolean
  /** In the palette these stand before everything else: what concerns the page in view. */
  readonly isContextual?: boolean
}

/** How long the keys of a sequence wait for the next one. */
const sequenceTimeoutMs = 1_500
/** The same when the keys pressed so far are complete themselves (`waitsForNextKey`). */
const nextKeyTimeoutMs = 800

/** All that can be done now, by whoever is on screen. */
class HotkeyRegistry {
  #all: readonly Hotkey[] = []
  readonly #listeners = new Set<() => void>()

  readonly all = (): readonly Hotkey[] => this.#all

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#listeners.add(watcher)
    return () => this.#listeners.delete(watcher)
  }

  add(hotkeys: readonly Hotkey[]): () => void {
    this.#setAll([...this.#all, ...hotkeys])
    return () => this.#setAll(this.#all.filter((hotkey) => !hotkeys.includes(hotkey)))
  }

  #setAll(all: readonly Hotkey[]): void {
    this.#all = all
    for (const watcher of this.#listeners) watcher()
  }
}

interface Hotkeys {
  readonly registry: HotkeyRegistry
  /** The keys of the sequence that has begun; empty when none has. */
  readonly pressed: readonly string[]
}

const HotkeysContext = createContext<Hotkeys>({ registry: new HotkeyRegistry(), pressed: [] })

/** Listens for key sequences and holds what they do. */
export function HotkeysProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new HotkeyRegistry())
  const [pressed, setPressed] = useState<readonly string[]>([])
  const [wanted] = usePreference('shortcuts')
  const areOn = wanted === undefined || wanted === 'all'

  useEffect(() => {
    if (!areOn) return
    let sequence: readonly string[] = []
    let timer: number | undefined
    const available = () => registry.all().filter((hotkey) => hotkey.enabled !== false)
    // The latest registered wins: what is nearer to the person was mounted later.
    const hotkeyOf = (typed: string) => available().findLast(({ keys }) => keys === typed)
    const end = () => {
      window.clearTimeout(timer)
      if (sequence.length > 0) setPressed([])
      sequence = []
    }
    const wait = (keys: readonly string[]) => {
      window.clearTimeout(timer)
      sequence = keys
      setPressed(keys)
      const complete = hotkeyOf(keys.join(' '))
      timer = window.setTimeout(
        () => {
          end()
          complete?.run()
        },
        complete ? nextKeyTimeoutMs : sequenceTimeoutMs,
      )
    }
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Shift' || event.repeat) return
      // A combination, a dialog or typing ends what has begun: its hint must not stay above them.
      if (shouldIgnoreKey(event)) return end()
      const known = available().flatMap(({ keys, waitsForNextKey }) => (keys ? [{ keys, waitsForNextKey }] : []))
      const step = matchSequence(
        sequence,
        normalizeKey(event),
        known.map(({ keys }) => keys),
        known.filter(({ waitsForNextKey }) => waitsForNextKey).map(({ keys }) => keys),
      )
      if (step.status === 'nothing') return end()
      event.preventDefault()
      if (step.status === 'waiting') return wait(step.pressed)
      end()
      hotkeyOf(step.keys)?.run()
    }
    window.addEventListener('keydown', press)
    window.addEventListener('pointerdown', end, true)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('keydown', press)
      window.removeEventListener('pointerdown', end, true)
    }
  }, [registry, areOn])

  const hotkeys = useMemo(() => ({ registry, pressed }), [registry, pressed])
  return <HotkeysContext value={hotkeys}>{children}</HotkeysContext>
}

/** Offers actions while the component is on screen: to key sequences, the palette and the sheet of shortcuts. */
export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const { registry } = use(HotkeysContext)
  const run = useEffectEvent((at: number) => hotkeys[at]?.run())
  const shape = hotkeys
    .map(({ keys, label, enabled, group, danger, waitsForNextKey }) =>
      [keys, label, enabled !== false, group, danger, waitsForNextKey].join('\t'),
    )
    .join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: what they do may change at every render, what they are does not
  useEffect(
    () => registry.add(hotkeys.map((hotkey, index) => ({ ...hotkey, run: () => run(index) }))),
    [registry, shape],
  )
}

/** Everything that can be done now. */
export function useAvailableHotkeys(): readonly Hotkey[] {
  const { registry } = use(HotkeysContext)
  const all = useSyncExternalStore(registry.subscribe, registry.all)
  return useMemo(() => all.filter((hotkey) => hotkey.enabled !== false), [all])
}

/** The keys pressed so far of a sequence that may still become one. */
export function usePendingSequence(): readonly string[] {
  return use(HotkeysContext).pressed
}

/** A combination with a modifier, as tinykeys writes it: `$mod+k`. It also works while typing. */
export function useShortcut(combination: string, run: () => void): void {
  const runNow = useEffectEvent(run)
  const [wanted] = usePreference('shortcuts')
  const isOn = wanted !== 'off'

  useEffect(() => {
    if (!isOn) return
    const press = (event: KeyboardEvent) => {
      event.preventDefault()
      runNow()
    }
    return tinykeys(window, { [combination]: press }, { ignore: () => false })
  }, [combination, isOn])
}
