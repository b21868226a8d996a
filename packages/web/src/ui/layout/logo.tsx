import { useActiveTheme } from '../../theme/active-theme.ts'

/** The logo of the theme, or the mark of Innkeeper: a lantern with a small flame. */
export function Logo({ size = 24 }: { size?: number }) {
  const logo = useActiveTheme()?.logo
  if (logo) return <img src={logo} height={size} alt="" />
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d="M12 1.6v1.8" />
      <path d="M6.6 8 12 3.6 17.4 8z" />
      <path d="M7.6 8v9.6a2 2 0 0 0 2 2h4.8a2 2 0 0 0 2-2V8" />
      <path d="M6.2 22.2h11.6" />
      <path
        d="M12 10.2c1.7 1.8 2.5 3 2.5 4.2a2.5 2.5 0 0 1-5 0c0-1.2.8-2.4 2.5-4.2z"
        fill="var(--ik-highlight)"
        stroke="none"
      />
    </svg>
  )
}
