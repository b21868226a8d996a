// The order is the cascade: Mantine, the tokens it reads, the page, and what we change about Mantine.
import './fonts.css'
import './mantine.css'
import './tokens.css'
import './global.css'
import './mantine-overrides.css'
