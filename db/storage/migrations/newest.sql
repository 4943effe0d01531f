CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE meta (
	"key" VARCHAR(64) NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_meta PRIMARY KEY ("key")
);
CREATE TABLE traps (
	id INTEGER NOT NULL, 
	slug VARCHAR(80) NOT NULL, 
	name TEXT NOT NULL, 
	family VARCHAR(80) NOT NULL, 
	"key" BLOB NOT NULL, 
	mirror_key BLOB NOT NULL, 
	epd VARCHAR(100) NOT NULL, 
	victim VARCHAR(5) NOT NULL, 
	bait VARCHAR(5) NOT NULL, 
	killer_line TEXT NOT NULL, 
	outcome VARCHAR(8) NOT NULL, 
	verdict VARCHAR(9) NOT NULL, 
	mate_in SMALLINT, 
	gain FLOAT, 
	proof_by TEXT NOT NULL, 
	proof_nodes BIGINT NOT NULL, 
	proof_depth SMALLINT, 
	eco VARCHAR(8) NOT NULL, 
	opening TEXT NOT NULL, 
	moves TEXT, 
	source TEXT NOT NULL, 
	created VARCHAR(20) NOT NULL, reason TEXT DEFAULT '' NOT NULL, bait_san VARCHAR(8) DEFAULT '' NOT NULL, killer_san VARCHAR(8) DEFAULT '' NOT NULL, length INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_traps PRIMARY KEY (id), 
	CONSTRAINT ck_traps_victim CHECK (victim IN ('white', 'black')), 
	CONSTRAINT ck_traps_outcome CHECK (outcome IN ('mate', 'material')), 
	CONSTRAINT ck_traps_verdict CHECK (verdict IN ('proved', 'refuted', 'undecided')), 
	CONSTRAINT uq_traps_key_bait UNIQUE ("key", bait), 
	CONSTRAINT uq_traps_slug UNIQUE (slug)
);
CREATE INDEX ix_traps_mirror_key ON traps (mirror_key);
CREATE TABLE sources (
	id INTEGER NOT NULL, 
	path TEXT NOT NULL, 
	CONSTRAINT pk_sources PRIMARY KEY (id), 
	CONSTRAINT uq_sources_path UNIQUE (path)
);
CREATE TABLE games (
	id INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	white TEXT NOT NULL, 
	black TEXT NOT NULL, 
	result TEXT NOT NULL, 
	date TEXT NOT NULL, 
	event TEXT NOT NULL, 
	site TEXT NOT NULL, 
	round TEXT NOT NULL, 
	eco TEXT NOT NULL, 
	variant TEXT NOT NULL, 
	start_fen TEXT, 
	plies INTEGER NOT NULL, 
	moves BLOB NOT NULL, 
	source_id INTEGER NOT NULL, 
	game_number BIGINT NOT NULL, 
	byte_offset BIGINT NOT NULL, white_elo INTEGER, black_elo INTEGER, judged_by VARCHAR(32), utc_time TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_games PRIMARY KEY (id), 
	CONSTRAINT uq_games_digest UNIQUE (digest), 
	CONSTRAINT fk_games_source_id_sources FOREIGN KEY(source_id) REFERENCES sources (id)
);
CREATE TABLE positions (
	id INTEGER NOT NULL, 
	"key" BLOB NOT NULL, 
	fingerprint BLOB NOT NULL, 
	CONSTRAINT pk_positions PRIMARY KEY (id), 
	CONSTRAINT uq_positions_key UNIQUE ("key")
);
CREATE TABLE occurrences (
	position_id INTEGER NOT NULL, 
	game_id INTEGER NOT NULL, 
	ply SMALLINT NOT NULL, 
	move INTEGER, 
	CONSTRAINT pk_occurrences PRIMARY KEY (position_id, game_id, ply), 
	CONSTRAINT fk_occurrences_position_id_positions FOREIGN KEY(position_id) REFERENCES positions (id), 
	CONSTRAINT fk_occurrences_game_id_games FOREIGN KEY(game_id) REFERENCES games (id)
)
 WITHOUT ROWID

;
CREATE TABLE sightings (
	id INTEGER NOT NULL, 
	trap_id INTEGER NOT NULL, 
	game_id INTEGER, 
	file TEXT NOT NULL, 
	game_number BIGINT NOT NULL, 
	byte_offset BIGINT NOT NULL, 
	ply INTEGER NOT NULL, 
	event VARCHAR(7) NOT NULL, 
	measure VARCHAR(20) NOT NULL, 
	score FLOAT NOT NULL, 
	verdict VARCHAR(9) NOT NULL, 
	CONSTRAINT pk_sightings PRIMARY KEY (id), 
	CONSTRAINT ck_sightings_event CHECK (event IN ('set', 'fell', 'avoided', 'sprung', 'missed')), 
	CONSTRAINT ck_sightings_verdict CHECK (verdict IN ('proved', 'refuted', 'undecided')), 
	CONSTRAINT uq_sightings_trap_id_file_game_number_ply_event_measure UNIQUE (trap_id, file, game_number, ply, event, measure), 
	CONSTRAINT fk_sightings_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE, 
	CONSTRAINT fk_sightings_game_id_games FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE checkpoints (
	source_id INTEGER NOT NULL, 
	size BIGINT NOT NULL, 
	digest BLOB NOT NULL, 
	"offset" BIGINT NOT NULL, 
	games BIGINT NOT NULL, 
	CONSTRAINT pk_checkpoints PRIMARY KEY (source_id), 
	CONSTRAINT fk_checkpoints_source_id_sources FOREIGN KEY(source_id) REFERENCES sources (id)
);
CREATE TABLE profiles (
	trap_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	gain INTEGER NOT NULL, 
	CONSTRAINT pk_profiles PRIMARY KEY (trap_id), 
	CONSTRAINT fk_profiles_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE
);
CREATE TABLE depths (
	trap_id INTEGER NOT NULL, 
	depth SMALLINT NOT NULL, 
	bait INTEGER NOT NULL, 
	best INTEGER NOT NULL, 
	CONSTRAINT pk_depths PRIMARY KEY (trap_id, depth), 
	CONSTRAINT fk_depths_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE
);
CREATE TABLE opinions (
	trap_id INTEGER NOT NULL, 
	"by" VARCHAR(200) NOT NULL, 
	verdict VARCHAR(9) NOT NULL, 
	gain FLOAT, 
	nodes BIGINT NOT NULL, 
	depth SMALLINT, 
	date VARCHAR(10) NOT NULL, 
	CONSTRAINT pk_opinions PRIMARY KEY (trap_id, "by"), 
	CONSTRAINT ck_opinions_verdict CHECK (verdict IN ('proved', 'refuted', 'undecided')), 
	CONSTRAINT fk_opinions_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE
);
CREATE TABLE verified (
	trap_id INTEGER NOT NULL, 
	changed BOOLEAN NOT NULL, 
	CONSTRAINT pk_verified PRIMARY KEY (trap_id), 
	CONSTRAINT fk_verified_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE
);
CREATE TABLE weights (
	vocabulary INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	traps INTEGER NOT NULL, 
	fitted VARCHAR(20) NOT NULL, 
	CONSTRAINT pk_weights PRIMARY KEY (vocabulary)
);
CREATE INDEX ix_sightings_trap_id_id ON sightings (trap_id, id);
CREATE INDEX ix_sightings_game_id ON sightings (game_id);
CREATE INDEX ix_traps_family_traps_slug ON traps (family, slug);
CREATE INDEX ix_traps_eco_traps_slug ON traps (eco, slug);
CREATE INDEX ix_traps_opening_traps_slug ON traps (opening, slug);
CREATE INDEX ix_traps_source_traps_slug ON traps (source, slug);
CREATE INDEX ix_traps_bait_san_traps_slug ON traps (bait_san, slug);
CREATE INDEX ix_traps_killer_san_traps_slug ON traps (killer_san, slug);
CREATE INDEX ix_traps_name_traps_slug ON traps (name, slug);
CREATE INDEX ix_traps_length_traps_slug ON traps (length, slug);
CREATE INDEX ix_traps_gain_traps_slug ON traps (gain, slug);
CREATE TABLE words (
	id INTEGER NOT NULL, 
	word TEXT NOT NULL, 
	CONSTRAINT pk_words PRIMARY KEY (id), 
	CONSTRAINT uq_words_word UNIQUE (word)
);
CREATE TABLE trap_words (
	word_id INTEGER NOT NULL, 
	trap_id INTEGER NOT NULL, 
	CONSTRAINT pk_trap_words PRIMARY KEY (word_id, trap_id), 
	CONSTRAINT fk_trap_words_word_id_words FOREIGN KEY(word_id) REFERENCES words (id), 
	CONSTRAINT fk_trap_words_trap_id_traps FOREIGN KEY(trap_id) REFERENCES traps (id) ON DELETE CASCADE
)
 WITHOUT ROWID

;
CREATE TABLE trigrams (
	trigram VARCHAR(3) NOT NULL, 
	word_id INTEGER NOT NULL, 
	CONSTRAINT pk_trigrams PRIMARY KEY (trigram, word_id), 
	CONSTRAINT fk_trigrams_word_id_words FOREIGN KEY(word_id) REFERENCES words (id)
)
 WITHOUT ROWID

;
CREATE TABLE mined (
	position_id INTEGER NOT NULL, 
	move INTEGER NOT NULL, 
	finding VARCHAR(9) NOT NULL, 
	CONSTRAINT pk_mined PRIMARY KEY (position_id, move), 
	CONSTRAINT fk_mined_position_id_positions FOREIGN KEY(position_id) REFERENCES positions (id) ON DELETE CASCADE, 
	CONSTRAINT ck_mined_finding CHECK (finding IN ('harmless', 'refuted', 'undecided', 'proved'))
)
 WITHOUT ROWID

;
CREATE TABLE job_runs (
	id INTEGER NOT NULL, 
	job VARCHAR(40) NOT NULL, 
	started VARCHAR(20) NOT NULL, 
	ended VARCHAR(20), 
	counts TEXT NOT NULL, 
	error TEXT, 
	CONSTRAINT pk_job_runs PRIMARY KEY (id)
);
CREATE INDEX ix_job_runs_job_job_runs_started ON job_runs (job, started);
CREATE TABLE leases (
	name VARCHAR(200) NOT NULL, 
	holder VARCHAR(200) NOT NULL, 
	beat BIGINT NOT NULL, 
	since VARCHAR(20) NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
CREATE TABLE feeds (
	name TEXT NOT NULL, 
	state TEXT NOT NULL, 
	CONSTRAINT pk_feeds PRIMARY KEY (name)
);
CREATE TABLE losing_moves (
	game_id INTEGER NOT NULL, 
	ply INTEGER NOT NULL, 
	kind VARCHAR(7) NOT NULL, 
	mate_in INTEGER, 
	killer_line TEXT NOT NULL, 
	answer VARCHAR(6), 
	clock INTEGER, settled BOOLEAN DEFAULT 1 NOT NULL, probability FLOAT, causes TEXT, mechanism TEXT, place TEXT, 
	CONSTRAINT pk_losing_moves PRIMARY KEY (game_id, ply), 
	CONSTRAINT ck_losing_moves_answer CHECK (answer IN ('sprung', 'missed')), 
	CONSTRAINT ck_losing_moves_kind CHECK (kind IN ('mate', 'capture', 'check', 'quiet')), 
	CONSTRAINT fk_losing_moves_game_id_games FOREIGN KEY(game_id) REFERENCES games (id)
);
CREATE TABLE player_profiles (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	CONSTRAINT pk_player_profiles PRIMARY KEY (id), 
	CONSTRAINT uq_player_profiles_name UNIQUE (name)
);
CREATE TABLE practice_cards (
	id INTEGER NOT NULL, 
	profile_id INTEGER NOT NULL, 
	epd VARCHAR(100) NOT NULL, 
	task VARCHAR(6) NOT NULL, 
	state SMALLINT NOT NULL, 
	step INTEGER, 
	stability FLOAT, 
	difficulty FLOAT, 
	due VARCHAR(20) NOT NULL, 
	last_review VARCHAR(20) NOT NULL, 
	CONSTRAINT pk_practice_cards PRIMARY KEY (id), 
	CONSTRAINT ck_practice_cards_task CHECK (task IN ('killer', 'safe')), 
	CONSTRAINT fk_practice_cards_profile_id_player_profiles FOREIGN KEY(profile_id) REFERENCES player_profiles (id), 
	CONSTRAINT uq_practice_cards_profile_id_epd_task UNIQUE (profile_id, epd, task)
);
CREATE TABLE practice_reviews (
	id INTEGER NOT NULL, 
	card_id INTEGER NOT NULL, 
	at VARCHAR(20) NOT NULL, 
	answer VARCHAR(5) NOT NULL, 
	is_right BOOLEAN NOT NULL, 
	hints SMALLINT NOT NULL, 
	rating SMALLINT, 
	line TEXT NOT NULL, 
	CONSTRAINT pk_practice_reviews PRIMARY KEY (id), 
	CONSTRAINT fk_practice_reviews_card_id_practice_cards FOREIGN KEY(card_id) REFERENCES practice_cards (id)
);
CREATE INDEX ix_practice_reviews_card_id ON practice_reviews (card_id);
CREATE TABLE move_tests (
	epd VARCHAR(100) NOT NULL, 
	move VARCHAR(5) NOT NULL, 
	"by" VARCHAR(32) NOT NULL, 
	is_confirmed BOOLEAN NOT NULL, 
	best VARCHAR(5), 
	CONSTRAINT pk_move_tests PRIMARY KEY (epd, move)
);
CREATE TABLE position_values (
	"key" BLOB NOT NULL, 
	chance FLOAT NOT NULL, 
	effort BIGINT NOT NULL, 
	line TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	CONSTRAINT pk_position_values PRIMARY KEY ("key")
)
 WITHOUT ROWID

;
CREATE TABLE mistakes (
	id INTEGER NOT NULL, 
	game_id INTEGER NOT NULL, 
	ply INTEGER NOT NULL, 
	tokens BLOB NOT NULL, 
	CONSTRAINT pk_mistakes PRIMARY KEY (id), 
	CONSTRAINT fk_mistakes_game_id_ply_losing_moves FOREIGN KEY(game_id, ply) REFERENCES losing_moves (game_id, ply) ON DELETE CASCADE, 
	CONSTRAINT uq_mistakes_game_id_ply UNIQUE (game_id, ply)
);
CREATE INDEX ix_losing_moves_mechanism ON losing_moves (mechanism);
CREATE INDEX ix_losing_moves_place ON losing_moves (place);
