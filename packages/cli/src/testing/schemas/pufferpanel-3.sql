-- The tables of PufferPanel 3 (main branch of 2025) in SQLite, derived from its models (models/*.go,
-- database/upgrade.go) by the rules of gorm: names in the plural and in snake case, booleans as numeric, texts without
-- their size. The model of backups was not available: its columns are those that its API names.

create table `nodes` (
  `id` integer,
  `name` text not null,
  `public_host` text not null,
  `private_host` text not null,
  `public_port` integer not null default 8080,
  `private_port` integer not null default 8080,
  `sftp_port` integer not null default 5657,
  `secret` text not null,
  `created_at` datetime,
  `updated_at` datetime
);

create table `servers` (
  `name` text not null,
  `identifier` text not null,
  `node_id` integer,
  `ip` text,
  `port` integer,
  `type` text not null default generic,
  `icon` text,
  `created_at` datetime,
  `updated_at` datetime
);

create table `users` (
  `id` integer,
  `username` text not null,
  `email` text not null,
  `password` text not null,
  `otp_secret` text,
  `otp_active` numeric not null default 0,
  `created_at` datetime,
  `updated_at` datetime
);

create table `templates` (
  `name` varchar(100),
  `raw_value` text,
  `readme` text
);

create table `permissions` (
  `id` integer,
  `user_id` integer,
  `client_id` integer,
  `server_identifier` text,
  `scopes` text not null
);

create table `clients` (
  `id` integer,
  `client_id` text not null,
  `client_secret` text not null,
  `user_id` integer not null,
  `server_id` integer,
  `name` text not null,
  `description` text not null default ''
);

create table `user_settings` (
  `key` text not null,
  `user_id` integer not null,
  `value` text not null
);

create table `sessions` (
  `id` integer,
  `token` text not null,
  `expiration_time` datetime not null,
  `user_id` integer,
  `client_id` integer,
  `server_identifier` text
);

create table `template_repos` (
  `id` integer,
  `name` varchar(100),
  `url` text,
  `branch` text,
  `pat` text,
  `username` text,
  `password` text,
  `ssh_key` text
);

create table `backups` (
  `id` integer,
  `name` text not null,
  `file_name` text not null,
  `file_size` integer,
  `server_id` text not null,
  `created_at` datetime
);

create table `recovery_codes` (
  `id` integer,
  `user_id` integer not null,
  `code` text not null
);

create table `webauthn_credentials` (
  `id` varchar(96) not null,
  `name` text not null,
  `user_id` integer not null,
  `credential` text not null
);

create table `public_keys` (
  `id` integer,
  `user_id` integer,
  `sshkey` text
);

create table `migrations` (
  `id` varchar(255)
);
