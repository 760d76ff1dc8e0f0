"""A log of PostgreSQL in which secrets stand in 69 places, and a look for them."""

from __future__ import annotations

# fmt: off
STATEMENTS = (
    "SELECT * FROM users WHERE password = 'SeCrEt01xyz'",
    "UPDATE users SET passwd='SeCrEt02xyz' WHERE id=1",
    "INSERT INTO users (name, pw_hash, api_token) VALUES ('bob', 'SeCrEt03xyz', 'SeCrEt04xyz')",
    "SELECT crypt('SeCrEt05xyz', gen_salt('bf'))",
    "SELECT pgp_sym_encrypt('data', 'SeCrEt06xyz')",
    "SELECT pgp_sym_decrypt(col, 'SeCrEt07xyz') FROM t",
    "SELECT dblink_connect('host=x user=u password=SeCrEt08xyz')",
    "SELECT * FROM dblink('dbname=postgres password=SeCrEt09xyz','select 1') AS t(a int)",
    "ALTER ROLE app PASSWORD 'SeCrEt10xyz'",
    "ALTER USER MAPPING FOR app SERVER s OPTIONS (SET password 'SeCrEt11xyz')",
    "CREATE SUBSCRIPTION s CONNECTION 'host=h password=SeCrEt12xyz' PUBLICATION p",
    "SELECT set_config('app.secret', 'SeCrEt13xyz', false)",
    "SET app.jwt_secret = 'SeCrEt14xyz'",
    "SELECT * FROM sessions WHERE session_token = 'SeCrEt15xyz' AND ok",
    "SELECT 'postgres://u:SeCrEt16xyz@h/db'",
    "SELECT * FROM t WHERE h = 'Bearer SeCrEt17xyzSeCrEt17xyz'",
    "SELECT 'AKIAIOSFODNN7EXAMPLE', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'",
    "SELECT * FROM login('bob','SeCrEt18xyz')",
    "SELECT authenticate_user(p_user => 'bob', p_password => 'SeCrEt19xyz')",
    "COPY t FROM 's3://b/k' CREDENTIALS 'aws_access_key_id=AK;aws_secret_access_key=SeCrEt20xyz'",
    "INSERT INTO cfg VALUES ('smtp_password', 'SeCrEt21xyz')",
    "UPDATE cfg SET value = 'SeCrEt22xyz' WHERE key = 'stripe_secret_key'",
    'SELECT * FROM u WHERE doc @> \'{"password": "SeCrEt23xyz"}\'',
    "SELECT * FROM u WHERE doc ->> 'password' = 'SeCrEt24xyz'",
    "SELECT 'ghp_SeCrEt25xyzSeCrEt25xyzSeCrEt25xyz00'",
    "SELECT 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJTZUNyRXQyNnh5eiJ9.SeCrEt26xyzabcdef'",
    "SELECT * FROM u WHERE (name, password) = ('bob', 'SeCrEt27xyz')",
    "SELECT * FROM u WHERE password IN ('SeCrEt28xyz', 'b')",
    "SELECT * FROM u WHERE password = lower('SeCrEt29xyz')",
    "SELECT * FROM u WHERE 'SeCrEt30xyz' = password",
    "SELECT * FROM u WHERE pin = 739154 AND otp = '739155'",
    "INSERT INTO u (name, password) SELECT 'x', 'SeCrEt31xyz'",
    "INSERT INTO u (name, password) VALUES ('a','SeCrEt32xyz'), ('b','SeCrEt33xyz')",
    "INSERT INTO u (name, password) VALUES ('a', $$SeCrEt34xyz$$)",
    "INSERT INTO u (name, password) VALUES ('a', E'SeCrEt35\\x78yz')",
    "CALL reset_password(1, 'SeCrEt36xyz')",
    'SELECT * FROM u -- password SeCrEt37xyz\n',
    '/* SeCrEt38xyz */ SELECT 1',
    "MERGE INTO u USING (VALUES ('a','SeCrEt39xyz')) AS s(n,password) ON u.n=s.n WHEN MATCHED THEN UPDATE "
    "SET password = s.password",
    "WITH c(password) AS (VALUES ('SeCrEt40xyz')) SELECT * FROM c",
    "UPDATE u SET (name, password) = ('x', 'SeCrEt41xyz')",
    "SELECT * FROM u WHERE password LIKE 'SeCrEt42xyz%'",
    "SELECT * FROM u WHERE password = 'SeCrEt43' || 'xyz'",
    "PREPARE q AS SELECT * FROM u WHERE password = 'SeCrEt44xyz'",
    "DO $$ BEGIN PERFORM login('a','SeCrEt45xyz'); END $$",
    "NOTIFY chan, 'password=SeCrEt46xyz'",
    "COMMENT ON TABLE t IS 'SeCrEt47xyz'",
    "SELECT sha256('SeCrEt48xyz'::bytea), md5('SeCrEt49xyz'), hmac('m','SeCrEt50xyz','sha256')",
)
BOUND = (
    ("SELECT * FROM u WHERE password = $1", "$1 = 'SeCrEt60xyz'"),
    ("INSERT INTO u (name,password) VALUES ($1,$2)", "$1 = 'bob', $2 = 'SeCrEt61xyz'"),
    ("SELECT login($1,$2)", "$1 = 'bob', $2 = 'SeCrEt62xyz'"),
    ("UPDATE cfg SET v = $2 WHERE k = $1", "$1 = 'smtp_password', $2 = 'SeCrEt63xyz'"),
)
# fmt: on
SECRETS = r"SeCrEt\d\d|AKIA|wJalr|73915[45]"


def log() -> str:
    """Each of them four times."""
    lines, number = [], 0

    def add(kind: str, text: str) -> None:
        at = f"2026-11-20 {10 + number // 3600}:{number // 60 % 60:02}:{number % 60:02}.{number % 1000:03} UTC"
        lines.append(f"{at} [{100 + number % 3}] app@shop {kind}:  {text}\n".replace("\n\n", "\n"))

    for _ in range(4):
        for text in STATEMENTS:
            add("LOG", f"duration: 1.{number % 1000:03} ms  statement: {text}")
            number += 1
    for _ in range(4):
        for text, values in BOUND:
            add("LOG", f"duration: 1.1 ms  execute <unnamed>: {text}")
            add("DETAIL", f"parameters: {values}")
            number += 1
    return "".join(lines)
