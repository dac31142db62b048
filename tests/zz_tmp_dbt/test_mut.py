import psycopg, pytest
from tests.database.test_exact_private_cosines_stay_inside import *
@pytest.fixture(scope="module")
def shared(server, template):
    with cloned(server, template) as made:
        with psycopg.connect(made.admin_url, autocommit=True) as s:
            d=s.execute("select pg_get_functiondef('api.nearest'::regproc)").fetchone()[0]
            assert d.count("0.05 + slack END")==1
            s.execute(d.replace("0.05 + slack END","0.025 + slack END").encode())
        yield made
