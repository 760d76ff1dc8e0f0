\set n random(1,9)
SELECT format('Q-%s', :n);
