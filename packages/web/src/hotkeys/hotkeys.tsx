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
import { Emitter } from '../api/emitter.ts'
import { usePreference } from '../session/preferences.tsx'
import { matchSequence, normalizeKey, shouldIgnoreKey } from './sequences.ts'

/** An action of the current page. It is listed in the palette; with `keys` also in the sequence hint and the dialog. */
export type Hotkey = HotkeyAction & (WithKeys | WithoutKeys)

interface WithKeys {
  /** A sequence of characters: `g s`. */
  readonly keys: string
}

interface WithoutKeys {
  readonly keys?: undefined
  /** Unique among the actions without keys. */
  readonly id: string
}

interface HotkeyAction {
  /** Translated, as palette, hint and dialog show it. */
  readonly label: string
  readonly run: () => void
  /** If false, the hotkey does nothing and is not listed anywhere. Default: true. */
  readonly enabled?: boolean
  /** Its keys also begin longer sequences: it runs only when no further key follows in time, instead of at once. */
  readonly waitsForNextKey?: boolean
  /** The heading it is listed under. */
  readonly group: string
  readonly icon?: ReactNode
  /** Shown in red: loses data. */
  readonly danger?: boolean
  /** Only useful from the keyboard: not in the palette. */
  readonly hiddenInPalette?: boolean
  /** Concerns the current page: listed first in the palette. */
  readonly isContextual?: boolean
}

/** How long a sequence waits for its next key. */
const sequenceTimeoutMs = 1_500
/** The same when the keys pressed so far are a hotkey themselves (`waitsForNextKey`). */
const nextKeyTimeoutMs = 800

/** The hotkeys of all mounted components. */
class HotkeyRegistry {
  #all: readonly Hotkey[] = []
  readonly #changed = new Emitter()

  readonly all = (): readonly Hotkey[] => this.#all
  readonly subscribe = this.#changed.on

  add(hotkeys: readonly Hotkey[]): () => void {
    this.#setAll([...this.#all, ...hotkeys])
    return () => this.#setAll(this.#all.filter((hotkey) => !hotkeys.includes(hotkey)))
  }

  #setAll(all: readonly Hotkey[]): void {
    this.#all = all
    this.#changed.emit()
  }
}

const RegistryContext = createContext(new HotkeyRegistry())
/** Separate from the registry: pressing a key must not render every component that has hotkeys. */
const PendingSequenceContext = createContext<readonly string[]>([])

/** Listens for key sequences and runs their hotkeys. */
export function HotkeysProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(() => new HotkeyRegistry())
  const [pressed, setPressed] = useState<readonly string[]>([])
  const [preference = 'all'] = usePreference('shortcuts')
  const isEnabled = preference === 'all'

  useEffect(() => {
    if (!isEnabled) return
    let sequence: readonly string[] = []
    let timer: number | undefined
    const available = () => registry.all().filter((hotkey) => hotkey.enabled !== false)
    // The latest registered wins: overlays and tabs are mounted after the page around them.
    const findHotkey = (typed: string) => available().findLast(({ keys }) => keys === typed)
    const end = () => {
      window.clearTimeout(timer)
      if (sequence.length > 0) setPressed([])
      sequence = []
    }
    const wait = (keys: readonly string[]) => {
      window.clearTimeout(timer)
      sequence = keys
      setPressed(keys)
      const complete = findHotkey(keys.join(' '))
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
      // A combination, a dialog or typing ends a pending sequence, so that its hint does not cover them.
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
      findHotkey(step.keys)?.run()
    }
    window.addEventListener('keydown', press)
    window.addEventListener('pointerdown', end, true)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('keydown', press)
      window.removeEventListener('pointerdown', end, true)
    }
  }, [registry, isEnabled])

  return (
    <RegistryContext value={registry}>
      <PendingSequenceContext value={pressed}>{children}</PendingSequenceContext>
    </RegistryContext>
  )
}

/** Registers hotkeys while the component is mounted: for key sequences, the palette and the shortcuts dialog. */
export function useHotkeys(hotkeys: readonly Hotkey[]): void {
  const registry = use(RegistryContext)
  const run = useEffectEvent((index: number) => hotkeys[index]?.run())
  const shape = hotkeys
    .map(({ keys, label, enabled, group, danger, waitsForNextKey }) =>
      [keys, label, enabled !== false, group, danger, waitsForNextKey].join('\t'),
    )
    .join('\n')

  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` calls the latest functions; registered again when the rest changes
  useEffect(
    () => registry.add(hotkeys.map((hotkey, index) => ({ ...hotkey, run: () => run(index) }))),
    [registry, shape],
  )
}

/** All enabled hotkeys. */
export function useAvailableHotkeys(): readonly Hotkey[] {
  const registry = use(RegistryContext)
  const all = useSyncExternalStore(registry.subscribe, registry.all)
  return useMemo(() => all.filter((hotkey) => hotkey.enabled !== false), [all])
}

/** The keys pressed so far of a sequence; empty when none is pending. */
export function usePendingSequence(): readonly string[] {
  return use(PendingSequenceContext)
}
