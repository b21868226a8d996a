-- The tables of PufferPanel 2.6 in SQLite, derived from its models (models/*.go, database/loader.go) by the rules of
-- gorm: names in the plural and in snake case, booleans as numeric, texts without their size.

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
  `node_id` integer not null,
  `ip` text,
  `port` integer,
  `type` text not null default generic,
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
  `name` text,
  `raw_value` text,
  `readme` text
);

create table `permissions` (
  `id` integer,
  `user_id` integer,
  `client_id` integer,
  `server_identifier` text,
  `admin` numeric not null default 0,
  `view_server` numeric not null default 0,
  `create_server` numeric not null default 0,
  `view_nodes` numeric not null default 0,
  `edit_nodes` numeric not null default 0,
  `deploy_nodes` numeric not null default 0,
  `view_templates` numeric not null default 0,
  `edit_templates` numeric not null default 0,
  `edit_users` numeric not null default 0,
  `view_users` numeric not null default 0,
  `edit_server_admin` numeric not null default 0,
  `delete_server` numeric not null default 0,
  `panel_settings` numeric not null default 0,
  `edit_server_data` numeric not null default 0,
  `edit_server_users` numeric not null default 0,
  `install_server` numeric not null default 0,
  `update_server` numeric not null default 0,
  `view_server_console` numeric not null default 0,
  `send_server_console` numeric not null default 0,
  `stop_server` numeric not null default 0,
  `start_server` numeric not null default 0,
  `view_server_stats` numeric not null default 0,
  `view_server_files` numeric not null default 0,
  `sftp_server` numeric not null default 0,
  `put_server_files` numeric not null default 0
);

create table `clients` (
  `id` integer,
  `client_id` text not null,
  `client_secret` text not null,
  `user_id` integer not null,
  `server_id` text,
  `scopes` text not null default '',
  `name` text not null default '',
  `description` text not null default ''
);

create table `user_settings` (
  `key` text not null,
  `user_id` integer not null,
  `value` text not null
);

create table `migrations` (
  `id` text
);
